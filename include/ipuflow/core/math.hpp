// SPDX-License-Identifier: BSL-1.0
// The functions of <cmath> that are called here, as the compiler has them: that header costs as much as a quarter of <ranges>.
#pragma once

namespace ipuflow::math {

inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline float exp(float x) { return __builtin_expf(x); }
inline double exp(double x) { return __builtin_exp(x); }
inline float log(float x) { return __builtin_logf(x); }
inline double log(double x) { return __builtin_log(x); }
inline double log1p(double x) { return __builtin_log1p(x); }
inline float pow(float base, float exponent) { return __builtin_powf(base, exponent); }
inline double pow(double base, double exponent) { return __builtin_pow(base, exponent); }
inline float sin(float x) { return __builtin_sinf(x); }
inline float cos(float x) { return __builtin_cosf(x); }
inline double cos(double x) { return __builtin_cos(x); }
inline float tanh(float x) { return __builtin_tanhf(x); }
inline float erf(float x) { return __builtin_erff(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline long long rounded(double x) { return __builtin_llround(x); }
inline int exponent(double x) { return __builtin_ilogb(x); }  // of 2
inline bool is_finite(double x) { return __builtin_isfinite(x); }

}  // namespace ipuflow::math
