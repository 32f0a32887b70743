"""`python -m kubelint_gpu` is the console script."""

from kubelint_gpu.cli import run

if __name__ == "__main__":
    run()
