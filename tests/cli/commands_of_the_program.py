"""Every command of the program, by its words."""

import click

from kubelint_gpu.cli.main import main


def commands():
    def below(command, words):
        yield words, command
        if isinstance(command, click.Group):
            ctx = click.Context(command)
            for name in command.list_commands(ctx):
                yield from below(command.get_command(ctx, name), (*words, name))

    return {" ".join(words): command for words, command in below(main, ())}


COMMANDS = commands()
LEAVES = {name: command for name, command in COMMANDS.items() if not isinstance(command, click.Group)}
