"""Lines are as long as the terminal allows, between 80 and 120 characters, and 80 where there is no terminal."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest

from project import PROGRAM, needs_program, rarefact


def setUpModule():
    needs_program()


def longest_line(columns):
    """Of a help page on a terminal of so many columns."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([PROGRAM, "table", "--help"], stdout=inside) as process:
        os.close(inside)
        text = b""
        try:
            while part := os.read(terminal, 4096):
                text += part
        except OSError:  # how a terminal says that nobody writes any more
            pass
        os.close(terminal)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}")
    return max(len(line) for line in text.decode("utf-8").splitlines())


class Terminal(unittest.TestCase):
    def test_a_help_page_is_as_wide_as_the_terminal(self):
        """narrow, usual, wide and very wide ones"""
        for columns, least, most in ((40, 75, 80), (80, 75, 80), (100, 95, 100), (120, 115, 120), (300, 115, 120)):
            with self.subTest(columns):
                self.assertTrue(least <= longest_line(columns) <= most, longest_line(columns))

    def test_without_a_terminal_it_is_80_wide(self):
        """what a pipe gets does not depend on the screen"""
        lengths = [len(line) for line in rarefact("table", "--help").stdout.splitlines()]
        self.assertTrue(75 <= max(lengths) <= 80, max(lengths))


if __name__ == "__main__":
    unittest.main()
