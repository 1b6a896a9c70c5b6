"""What can go wrong when a data set is asked for by name."""


class DatasetError(Exception):
    """A data set could not be given; the message says what to do next."""


class DatasetNotFoundError(DatasetError, LookupError):
    """No source has a data set of this name, or none could be reached."""


class DamagedDatasetError(DatasetError, ValueError):
    """A stored or downloaded data set is not what its description promises."""
