// Beast's function bodies, compiled here once (BOOST_BEAST_SEPARATE_COMPILATION).
#include <boost/beast/src.hpp>
