// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/sinter.hpp>

// [header]
// postal.hpp
struct Postal : sinter::Sequential<sinter::Input<1, 28, 28>, sinter::Flatten, sinter::Linear<50>, sinter::ReLU,
                                   sinter::Linear<10>> {};
using PostalNet = sinter::Network<Postal>;
using PostalLoss = sinter::CrossEntropyLoss;
using PostalData = sinter::Mnist::Data;

extern template sinter::History sinter::fit(PostalNet&, const PostalData&, PostalLoss, sinter::SGD,
                                            sinter::FitOptions<PostalData, PostalNet, PostalLoss>);
extern template sinter::Evaluation sinter::evaluate(const PostalNet&, const PostalData&, const PostalLoss&,
                                                    sinter::EvaluateOptions);
// [/header]
