// googlemock's matchers under their own names, for the tests of every namespace.
#pragma once

#include <gmock/gmock.h>

namespace assay {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Eq;
using testing::FloatEq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Ne;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

}  // namespace assay
