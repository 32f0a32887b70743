"""`kubelint-gpu lsp`: findings, fixes, hover and completion for editors, over the Language Server Protocol.

The process that talks to the editor never checks anything: two processes beside it do, and may be ended at any time.
"""

from __future__ import annotations
