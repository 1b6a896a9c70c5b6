"""Settings for all tests."""

import os

from hypothesis import settings

# No deadline: a busy machine is not a bug. In CI the same examples each time, so that a failure
# there is a failure everywhere; elsewhere new ones, so that more is tried over the days.
settings.register_profile("house", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("house")
