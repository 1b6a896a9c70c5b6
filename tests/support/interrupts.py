"""Ctrl-C at a known place of a fit, whatever the speed of the machine."""

import _thread
import threading

import pytest


def interrupt(model, stage, X, y):
    """Fit, and press Ctrl-C in another thread when a stage begins."""
    pressed = []

    def press(progress):
        if progress.what == stage and not pressed:
            pressed.append(threading.Thread(target=_thread.interrupt_main))
            pressed[0].start()

    with pytest.raises(KeyboardInterrupt):
        model.set_callbacks(press).fit(X, y)
    pressed[0].join()
    return model.set_callbacks()
