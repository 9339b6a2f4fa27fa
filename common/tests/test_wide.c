/* Arithmetic wider than 64 bits as a 32-bit compiler does it, held against this
 * compiler's own 128 bits. The module is built here a second time, without them. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;
#undef __SIZEOF_INT128__
#define HAVE_WIDE 1
#endif

#include "../time/duration.c"

#include "../loadgen/random.h"

static void
test_by_hand (void)
{
  guint64 result = 0, rest = 0;

  g_assert_true (lab_mul_div_rest (G_MAXUINT64, G_MAXUINT64, G_MAXUINT64, &result, &rest));
  g_assert_cmpuint (result, ==, G_MAXUINT64);
  g_assert_cmpuint (rest, ==, 0);
  g_assert_true (lab_mul_div_rest (G_MAXUINT64, 7, 10, &result, &rest));
  g_assert_cmpuint (result, ==, G_GUINT64_CONSTANT (12912720851596686130));
  g_assert_cmpuint (rest, ==, 5);
  g_assert_false (lab_mul_div_rest (G_GUINT64_CONSTANT (1) << 32, G_GUINT64_CONSTANT (1) << 32, 1, &result, &rest));
  g_assert_cmpint (lab_mul_div (G_MAXINT64, G_MAXINT64, G_MAXINT64), ==, G_MAXINT64);
}

#ifdef HAVE_WIDE

static void
test_like_the_compiler (void)
{
  LabRandom random;

  lab_random_init (&random, 7, 1);
  for (int i = 0; i < 1000000; i++)
    {
      guint64 a = lab_random_next (&random) >> lab_random_below (&random, 64);
      guint64 b = lab_random_next (&random) >> lab_random_below (&random, 64);
      guint64 c = (lab_random_next (&random) >> lab_random_below (&random, 64)) | 1;
      guint64 result = 0, rest = 0;
      Wide product = (Wide) a * b;

      g_assert_true (lab_mul_div_rest (a, b, c, &result, &rest) == (product / c <= G_MAXUINT64));
      if (product / c <= G_MAXUINT64)
        {
          g_assert_cmpuint (result, ==, (guint64) (product / c));
          g_assert_cmpuint (rest, ==, (guint64) (product % c));
        }
    }
}

#endif

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wide/by-hand", test_by_hand);
#ifdef HAVE_WIDE
  g_test_add_func ("/wide/like-the-compiler", test_like_the_compiler);
#endif
  return g_test_run ();
}
