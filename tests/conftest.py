"""Settings for all tests."""

import os
import signal

from hypothesis import settings

from support.cases import cases

# A shell that runs tests in the background has them ignore Ctrl-C, which some of them send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: a busy machine is not a bug. In CI the same examples each time, so that a failure
# there is a failure everywhere; elsewhere new ones, so that more is tried over the days.
settings.register_profile(
    "mixedwood", max_examples=cases(100), deadline=None, derandomize="CI" in os.environ
)
settings.load_profile("mixedwood")
