"""`kubelint-gpu lsp`: findings, fixes, hover and completion for editors, over the Language Server Protocol.

The process that talks to the editor checks nothing. Two other processes check, and can be ended at any time.
"""

from __future__ import annotations
