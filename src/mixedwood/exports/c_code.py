"""The parts of exported C that are the same for every model; `c.py` puts tables before them."""

NODES = """\
/* kind 0: a leaf; 1: low < number <= high; 2: low < place <= high; 3: by code; 4: a sum above 0.
   yes, no, missing and unknown are nodes; -1 if the row ends here. */
typedef struct {
  double low, high; /* low: the intercept of a sum */
  int column, yes, no, missing, unknown;
  int start, n; /* entries by code, or terms */
  int value;    /* position of the node's values */
  int label;
  int kind;
} node_t;

typedef struct {
  double number[N_COLUMNS];
  int code[N_COLUMNS]; /* -1: missing; -2: unknown */
} encoded_t;
"""

FIND_TEXT = """
static int find_text(const char *text, const char *const *labels, const int *codes, int n) {
  int first = 0, last = n - 1;
  if (text == NULL) return -1;
  while (first <= last) {
    const int middle = first + (last - first) / 2;
    const int order = strcmp(text, labels[middle]);
    if (order == 0) return codes[middle];
    if (order < 0) last = middle - 1;
    else first = middle + 1;
  }
  return -2;
}
"""

FIND_NUMBER = """
static int find_number(double x, const double *labels, const int *codes, int n) {
  int first = 0, last = n - 1;
  if (x != x) return -1;
  while (first <= last) {
    const int middle = first + (last - first) / 2;
    if (x == labels[middle]) return codes[middle];
    if (x < labels[middle]) last = middle - 1;
    else first = middle + 1;
  }
  return -2;
}
"""

FIND_KEY = """
static int find_key(long long key, const long long *keys, const int *codes, int n) {
  int first = 0, last = n - 1;
  while (first <= last) {
    const int middle = first + (last - first) / 2;
    if (key == keys[middle]) return codes[middle];
    if (key < keys[middle]) last = middle - 1;
    else first = middle + 1;
  }
  return -2;
}
"""

LINEAR = """
/* kind 0: weight * number; 1: weight * place; 2: a weight per code. */
typedef struct {
  double weight, fill;
  int column, start, n, kind;
} term_t;
"""

ADD_TERMS = """
static double add_terms(const node_t *node, const encoded_t *row) {
  double total = node->low;
  for (int t = node->start; t < node->start + node->n; ++t) {
    const term_t *term = &terms[t];
    const int code = row->code[term->column];
    if (term->kind == 2) {
      for (int i = term->start; i < term->start + term->n; ++i)
        if (term_codes[i] == code) total += term_weights[i];
      continue;
    }
    double x = term->kind == 0 ? row->number[term->column] : code;
    if (term->kind == 0 ? x != x : code < 0) x = term->fill;
    const double product = term->weight * x;
    total += product;
  }
  return total;
}
"""

SCALED = """
/* What a column adds to sums. kind 0: (number * factor - mean) * scale * weight; 1: the same of its
   place; 2: a weight per code from first on. Missing and unknown values add nothing. */
typedef struct {
  double factor, mean, scale, limit;
  int column, kind, first, n, weights;
} scaled_t;
"""

ADD_SCALED = """
static void add_scaled(int start, int end, int n_sums, const encoded_t *row, double *sums) {
  for (int t = start; t < end; ++t) {
    const scaled_t *term = &scaled[t];
    const int code = row->code[term->column];
    const double *weight = scaled_weights + term->weights;
    if (term->kind == 2) {
      if (code < term->first || code - term->first >= term->n) continue;
      weight += (code - term->first) * n_sums;
      for (int k = 0; k < n_sums; ++k) sums[k] += weight[k];
      continue;
    }
    double z = term->kind == 0 ? row->number[term->column] : code;
    if (term->kind == 0 ? z != z : code < 0) continue;
    z = z * term->factor;
    z = (z - term->mean) * term->scale;
    if (z > term->limit) z = term->limit;
    if (z < -term->limit) z = -term->limit;
    for (int k = 0; k < n_sums; ++k) {
      const double product = z * weight[k];
      sums[k] += product;
    }
  }
}
"""

FORMULAS = """
/* The linear model of a node: its terms, and what its sum is between. */
typedef struct {
  double intercept, low, high;
  int start, end;
} formula_t;
"""

VALUE_OF_FORMULA = """
static double value_of_formula(const node_t *end, const encoded_t *row) {
  const formula_t *formula = &formulas[end - nodes];
  double sum = 0.0;
  add_scaled(formula->start, formula->end, 1, row, &sum);
  sum += formula->intercept;
  if (sum < formula->low) sum = formula->low;
  if (sum > formula->high) sum = formula->high;
  return sum;
}
"""

# {linear} is empty or the case of sums.
WALK = """
static const node_t *walk(int at, const encoded_t *row) {{
  for (;;) {{
    const node_t *node = &nodes[at];
    int to = -1;
    if (node->kind == 1) {{
      const double x = row->number[node->column];
      to = x != x ? node->missing : x > node->low && x <= node->high ? node->yes : node->no;
    }} else if (node->kind == 2) {{
      const int x = row->code[node->column];
      to = x == -1   ? node->missing
           : x == -2 ? node->unknown
           : x > node->low && x <= node->high ? node->yes : node->no;
    }} else if (node->kind == 3) {{
      const int x = row->code[node->column];
      int first = node->start, last = node->start + node->n - 1;
      to = x == -1 ? node->missing : node->unknown;
      while (first <= last) {{
        const int middle = first + (last - first) / 2;
        if (entry_codes[middle] == x) {{
          to = entry_nodes[middle];
          break;
        }}
        if (x < entry_codes[middle]) last = middle - 1;
        else first = middle + 1;
      }}
    }}{linear}
    if (to < 0) return node;
    at = to;
  }}
}}
"""

WALK_LINEAR = """ else if (node->kind == 4) {
      const double total = add_terms(node, row);
      to = total > 0.0 ? node->yes : total <= 0.0 ? node->no : node->missing;
    }"""

ADD_TREES = """
static void add_trees(int first, int last, const encoded_t *row, double *scores) {
  for (int t = first; t < last; ++t) {
    const node_t *end = walk(tree_roots[t], row);
    double *out = scores + tree_outputs[t];
    const double *value = values + end->value;
    for (int k = 0; k < tree_widths[t]; ++k) out[k] += value[k];
  }
}
"""

ADD_VOTES = """
static void add_votes(int first, int last, const encoded_t *row, double *scores) {
  for (int t = first; t < last; ++t) scores[walk(tree_roots[t], row)->label] += tree_weights[t];
}
"""

# In the order of numpy, so that the last digit is the same.
SUM = """
static double sum(const double *v, int n) {
  double r[8], total = 0.0;
  int i = 8;
  if (n < 8) {
    for (i = 0; i < n; ++i) total += v[i];
    return total;
  }
  if (n > 128) {
    const int half = n / 2 - n / 2 % 8;
    return sum(v, half) + sum(v + half, n - half);
  }
  for (int k = 0; k < 8; ++k) r[k] = v[k];
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) r[k] += v[i + k];
  total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < n; ++i) total += v[i];
  return total;
}
"""

DIVIDE = """
static void divide(double *scores, int n) {
  const double total = sum(scores, n);
  for (int k = 0; k < n; ++k) scores[k] = total == 0.0 ? 1.0 / n : scores[k] / total;
}
"""

SOFTMAX = """
static void softmax(double *logs, int n) {
  double largest = logs[0], total = 0.0;
  for (int k = 1; k < n; ++k)
    if (logs[k] > largest) largest = logs[k];
  for (int k = 0; k < n; ++k) logs[k] = exp(logs[k] - largest);
  total = sum(logs, n);
  for (int k = 0; k < n; ++k) logs[k] /= total;
}
"""

FIRST_LARGEST = """
static int first_largest(const double *scores, double tolerance) {
  double largest = scores[0];
  int k = 1;
  for (; k < N_CLASSES; ++k)
    if (scores[k] > largest) largest = scores[k];
  for (k = 0; k < N_CLASSES - 1; ++k)
    if (scores[k] >= largest - tolerance) break;
  return k;
}
"""

EXPECTED = """
static int least_cost(const double *p, double tolerance) {
  double scores[N_CLASSES];
  for (int j = 0; j < N_CLASSES; ++j) {
    double total = 0.0;
    for (int i = 0; i < N_CLASSES; ++i) total += p[i] * costs[i * N_CLASSES + j];
    scores[j] = -total;
  }
  return first_largest(scores, tolerance);
}
"""

RESERVED = """\
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while alignas alignof asm bool catch class const_cast constexpr decltype
delete dynamic_cast explicit export false friend mutable namespace new noexcept nullptr operator
private protected public reinterpret_cast requires static_assert static_cast template this
thread_local throw true try typeid typename typeof using virtual wchar_t and and_eq bitand bitor
compl not not_eq or or_eq xor xor_eq concept co_await co_return co_yield char8_t char16_t
char32_t consteval constinit linux unix i386 vax sun errno NULL NAN INFINITY EOF DOMAIN SING
OVERFLOW UNDERFLOW PLOSS TLOSS
"""
"""Keywords of C and C++, and macros that members must not be named after."""
