#include <catch2/catch.hpp>

#include "model/make_spectrum.hpp"
#include "model/spectrum.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/decompositions.hpp"

using namespace rarefact;

TEST_CASE("every polar factor of a noisy Muon run is that of a Jacobi SVD") {
  // At step 32 of this run divide and conquer (Eigen's BDCSVD) is off by 1e-2 in the vectors and 2 % in a singular value.
  const ClassGroups groups =
      make_spectrum("zipf_mandelbrot",
                    {{"count", 75.0}, {"exponent", 0.9765018504429999}, {"shift", 1.069896507496198}}, {});
  const SymmetricMemory<double> memory({groups, 0.11681323433150864}, 1, {}, {});
  SymmetricPolar<double> polar;
  SymmetricMatrix<double> w = memory.zero();
  Gradient<SymmetricMatrix<double>> gradient;
  for (int step = 0; step < 34; ++step) {
    memory.evaluate(w, &gradient, nullptr, Workers::serial());
    const SymmetricMatrix<double> d = polar(gradient.task, Workers::serial());
    const reference::Svd svd = reference::svd(irreducible_parts(gradient.task).trivial);
    const Matrix expected = svd.polar(74);
    const SingularValues values = singular_values(gradient.task);
    CAPTURE(step);
    // κ of these residuals is below 200.
    CHECK((irreducible_parts(d).trivial - expected).cwiseAbs().maxCoeff() < 1e-12);
    REQUIRE(values.values.size() == 74);
    for (std::size_t i = 0; i < 74; ++i) {
      CHECK(values.values[i] == Approx(svd.values(static_cast<Index>(i))).epsilon(1e-12));
    }
    combine(w, 1, -0.22479335816534196, d);
  }
}
