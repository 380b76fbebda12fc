"""Ctrl-C on the command line, in a process of its own."""

import subprocess
import sys

BEGIN = """
import signal, sys, time
from trueness.cli.main import interrupts
interrupts.install()

def press():
    signal.raise_signal(signal.SIGINT)
"""


def ended(code):
    done = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_first_is_an_exception_and_the_same_one_again_does_not_break_into_the_clean_up():
    code = """
try:
    press()
except KeyboardInterrupt:
    press()
    print("cleaned up")
"""
    assert ended(code) == (0, "cleaned up\n", "")


def test_a_second_one_later_ends_at_once():
    code = """
try:
    press()
except KeyboardInterrupt:
    time.sleep(1.1)
    press()
    print("never")
"""
    assert ended(code) == (130, "", "trueness: interrupted\n")


def test_one_that_python_would_ignore_ends_the_run():
    code = """
class Rest:
    def __del__(self):
        press()

rest = Rest()
del rest
print("goes on")
"""
    assert ended(code) == (130, "", "trueness: interrupted\n")


def test_other_errors_that_python_ignores_are_shown_as_ever():
    code = """
class Rest:
    def __del__(self):
        raise ValueError("no")

rest = Rest()
del rest
"""
    returned, _, err = ended(code)
    assert returned == 0
    assert "ValueError: no" in err
