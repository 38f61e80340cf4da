#include <signal.h>

#include <catch2/catch.hpp>

#include "cli/process.hpp"

using namespace rarefact;

TEST_CASE("SIGTERM asks to stop however often it comes; after one SIGINT the next ends the process") {
  const StopRequest stop({}, "");
  CHECK_FALSE(stop.asked());
  ::raise(SIGTERM);
  ::raise(SIGTERM);
  CHECK(stop.asked());
  CHECK(stop.reason() == "SIGTERM");
  ::raise(SIGINT);
  CHECK(stop.reason() == "SIGINT");
  struct sigaction now {};
  ::sigaction(SIGINT, nullptr, &now);
  CHECK(now.sa_handler == SIG_DFL);
}
