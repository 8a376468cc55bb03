// SPDX-License-Identifier: MIT
#include "postal.hpp"

// [source]
// postal.cpp
template sinter::History sinter::fit(PostalNet&, const PostalData&, PostalLoss, sinter::SGD,
                                     sinter::FitOptions<PostalData, PostalNet, PostalLoss>);
template sinter::Evaluation sinter::evaluate(const PostalNet&, const PostalData&, const PostalLoss&,
                                             sinter::EvaluateOptions);
// [/source]
