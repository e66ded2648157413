"""Recorded command lines and library calls, with all that users can observe of them.

`outcomes/` holds what each of them gave when it was recorded last; `test_recorded.py` runs all of them again and shows
what differs. Only `fpdb` and the command's entry point are used, so that the record outlives any rearrangement of
what is inside. To record anew what was meant to change, and to be told what did:

    python -m tests.recorded
"""
