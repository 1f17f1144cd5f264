# Sketches have the bytes and the estimates that another implementation of
# docs/FORMAT.md gives, and what it writes is read here. Of a filter, it gives the
# answers that the server gives.

use strict;
use warnings;

use BloomsketchServer;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $python = '/usr/bin/python3';
plan skip_all => 'no python3 with the module xxhash (python3-xxhash) here'
  if !-x $python || system("$python -c 'import xxhash' 2>/dev/null") != 0;

my $node = start_server('format');
my ($lines, $errors) = run_command([ $python, '-B', source_root() . '/test/tap/hll_oracle.py' ]);
is($errors, '', 'the oracle has no complaints');
my $file = PostgreSQL::Test::Utils::tempdir() . '/oracle';
append_to_file($file, "$lines\n");
ask($node, qq{
	CREATE TABLE oracle (p int, seed bigint, n int, image bytea, working bytea, other_working bytea, estimate bigint);
	COPY oracle FROM '$file';
	-- Made-up hashes come in by their image alone.
	CREATE TABLE ours AS
	SELECT o.*, CASE WHEN n < 0 THEN image::hll WHEN n = 0 THEN hll_empty(p, seed) ELSE h END AS h FROM oracle o
	CROSS JOIN LATERAL (SELECT hll_agg(i, p, seed) AS h FROM generate_series(1, n) i) agg});
cmp_ok(ask($node, 'SELECT count(*) FROM ours WHERE n > 0'), '>', 150, 'there are sketches');
cmp_ok(ask($node, 'SELECT count(*) FROM ours WHERE n < 0'), '>', 100, 'and made-up ones');

is(ask($node, q{SELECT string_agg(DISTINCT (hll_info(h)).representation, ' ') FROM ours}),
	'dense empty sparse', 'of all forms');
is(ask($node, 'SELECT p, seed, n FROM ours WHERE h::bytea <> image'), '', 'sketches have the documented bytes');
# Beyond 2^53 not every integer is a float8.
is( ask($node, q{SELECT p, seed, n, hll_count(h), estimate FROM ours
		WHERE abs(hll_count(h)::numeric - estimate) > estimate / 1e14}),
	'', 'and the documented estimates');
is(ask($node, 'SELECT p, seed, n FROM ours WHERE image::hll <> h'), '', 'documented bytes are read');
is(ask($node, q{SELECT count(DISTINCT get_byte(image, CASE seed WHEN 0 THEN 4 ELSE 12 END)) > 8,
		bool_or(get_byte(image, CASE seed WHEN 0 THEN 4 ELSE 12 END) = 255) FROM ours
		WHERE (hll_info(h)).representation = 'dense'}),
	't|t', 'dense ones by many codes, and packed');

# A reader in another language, as short as FORMAT.md says.
my $reader = source_root() . '/test/data/hll_reader.py';
my $exported = PostgreSQL::Test::Utils::tempdir() . '/exported';
append_to_file($exported, ask($node, 'SELECT h::bytea FROM ours WHERE estimate < 2^53 ORDER BY p, seed, n') . "\n");
my ($counts, $complaints) = run_command([ '/bin/sh', '-c', "'$python' -B '$reader' < '$exported'" ]);
is($complaints, '', 'the short reader has no complaints');
is($counts, ask($node, 'SELECT hll_count(h) FROM ours WHERE estimate < 2^53 ORDER BY p, seed, n'),
	'and counts what hll_count does');
is( ask($node, q{SELECT p, seed, n FROM ours
		WHERE working::hll <> h OR other_working::hll <> h OR working::text::hll <> h}),
	'', 'working forms are read and stored at rest');
is(ask($node, 'SELECT count(DISTINCT get_byte(working, 1) % 8), count(*) FILTER (WHERE working = image) FROM ours'),
	'2|0', 'and there were both of them');
is( ask($node, q{
	SELECT fine.p, coarse.p, n FROM ours fine JOIN ours coarse USING (seed, n)
	WHERE fine.p > coarse.p AND hll_reduce(fine.h, coarse.p)::bytea <> coarse.image}),
	'', 'sketches that are reduced have the documented bytes');
is( ask($node, q{
	SELECT a.p, a.n, b.n FROM ours a JOIN ours b USING (p, seed)
	WHERE p <= 12 AND sign(a.n) * sign(b.n) >= 0
		AND (a.h || b.h)::bytea <> CASE WHEN abs(a.n) > abs(b.n) THEN a.image ELSE b.image END}),
	'', 'and so have unions');

# ---------------------------------------------------------------------------
# The same for cms, by a program of its own.

($lines, $errors) = run_command([ $python, '-B', source_root() . '/test/tap/cms_oracle.py' ]);
is($errors, '', 'cms: the oracle has no complaints');
$file = PostgreSQL::Test::Utils::tempdir() . '/cms_oracle';
append_to_file($file, "$lines\n");
ask($node, qq{
	CREATE TABLE cms_oracle (epsilon float8, delta float8, seed bigint, n int, power int, modulus numeric, image bytea,
		working bytea, other_working bytea, total bigint, estimates numeric, product bigint);
	COPY cms_oracle FROM '$file';
	CREATE TABLE our_cms AS
	SELECT o.*, CASE WHEN n = 0 THEN cms_empty(epsilon, delta, seed) ELSE c END AS c, third
	FROM cms_oracle o
	CROSS JOIN LATERAL (
		SELECT cms_agg(i, w, epsilon, delta, seed) AS c, cms_agg(i, w, epsilon, delta, seed) FILTER (WHERE i <= n / 3) AS third
		FROM generate_series(1, n) i, LATERAL (SELECT mod(i::numeric ^ power, modulus)::bigint AS w) weight) agg});
cmp_ok(ask($node, 'SELECT count(*) FROM our_cms'), '>', 200, 'cms: there are sketches');
is( ask($node, q{SELECT string_agg(form || ' ' || (n > 20), ', ' ORDER BY form)
		FROM (SELECT get_byte(image, 1) % 8 AS form, count(*) AS n FROM our_cms GROUP BY 1) t}),
	'0 true, 1 true', 'cms: of both forms');
is( ask($node, q{SELECT string_agg(DISTINCT get_byte(w, 1) % 8 || '', ' ') FROM our_cms, unnest(ARRAY[working, other_working]) w}),
	'2 3 4', 'cms: and of all working ones');
my $which = 'SELECT epsilon, delta, seed, n, power FROM our_cms';
is(ask($node, "$which WHERE c::bytea <> image"), '', 'cms: sketches have the documented bytes');
is(ask($node, "$which WHERE image::cms <> c"), '', 'cms: documented bytes are read');
is(ask($node, "$which WHERE working::cms <> c OR other_working::cms <> c OR working::text::cms <> c"),
	'', 'cms: working forms are read and stored at rest');
is(ask($node, "$which WHERE cms_total(c) <> total"), '', 'cms: totals');
is( ask($node, "$which, LATERAL (SELECT sum(cms_count(c, v) * (v + 4)::numeric) AS s FROM generate_series(-3, n + 3) v) e
		WHERE s <> estimates"),
	'', 'cms: and the documented estimates');
is(ask($node, "$which WHERE product IS NOT NULL AND cms_inner_product(c, coalesce(third, '\\x511000')) <> product"),
	'', 'cms: inner products');
cmp_ok(ask($node, 'SELECT count(*) FROM our_cms WHERE product > 0'), '>', 100, 'cms: there were some');
fails_with($node, 'SELECT cms_inner_product(c, third) FROM our_cms WHERE product IS NULL', '22003', 'out of range',
	'cms: an inner product beyond bigint');
is( ask($node, q{SELECT a.epsilon, a.seed, a.n, a.power FROM our_cms a WHERE n > 2 AND total < 2 ^ 62
		AND third || (SELECT cms_agg(i, mod(i::numeric ^ power, modulus)::bigint, epsilon, delta, seed)
			FROM generate_series(n / 3 + 1, n) i) <> image::cms}),
	'', 'cms: unions have the documented bytes');

# ---------------------------------------------------------------------------
# And for topk: bytes where they are certain, answers everywhere.

($lines, $errors) = run_command([ $python, '-B', source_root() . '/test/tap/topk_oracle.py' ]);
is($errors, '', 'topk: the oracle has no complaints');
$file = PostgreSQL::Test::Utils::tempdir() . '/topk_oracle';
append_to_file($file, "$lines\n");
ask($node, qq{
	CREATE TABLE topk_oracle (kind text, k int, seed bigint, n int, power int, modulus numeric, image bytea, total bigint,
		max_error bigint, first_rows text, united bytea);
	COPY topk_oracle FROM '$file';
	CREATE FUNCTION built(kind text, k int, seed bigint, first int, last int, power int, modulus numeric) RETURNS topk
	LANGUAGE sql AS \$\$
		SELECT CASE WHEN first > last THEN topk_empty(k, seed)
			WHEN kind = 'text' THEN topk_agg('v' || i, k, w, seed ORDER BY i) ELSE topk_agg(i, k, w, seed ORDER BY i) END
		FROM generate_series(first, last) i, LATERAL (SELECT mod(i::numeric ^ power, modulus)::bigint AS w) weight \$\$;
	CREATE TABLE our_topk AS
	SELECT o.*, built(kind, k, seed, 1, n, power, modulus) AS s, built(kind, k, seed, 1, n / 3, power, modulus) AS third,
		built(kind, k, seed, n / 3 + 1, n, power, modulus) AS others
	FROM topk_oracle o});
cmp_ok(ask($node, 'SELECT count(*) FROM our_topk WHERE n > 0'), '==', 320, 'topk: there are sketches');
is( ask($node, q{SELECT count(*) FILTER (WHERE image IS NOT NULL AND n > greatest(1000, 10 * k)) >= 60,
		count(*) FILTER (WHERE image IS NULL) > 10, count(*) FILTER (WHERE united <> image) > 30 FROM our_topk}),
	't|t|t', 'topk: such with counters taken over, certain and not, and unions that differ');
$which = 'SELECT o.kind, o.k, o.seed, o.n, o.power FROM our_topk o';
is(ask($node, "$which WHERE s::bytea <> image"), '', 'topk: sketches have the documented bytes');
is(ask($node, "$which WHERE image::topk <> s"), '', 'topk: documented bytes are read');
is(ask($node, "$which, topk_info(s) i WHERE (i.total, i.max_error) <> (o.total, o.max_error)"),
	'', 'topk: totals and errors');
is( ask($node, "$which WHERE image IS NOT NULL AND coalesce((SELECT string_agg(concat_ws(':', item, count, error, guaranteed),
		' ' ORDER BY rank) FROM topk_items(s, 10)), '') <> first_rows"),
	'', 'topk: rows');
is(ask($node, "$which WHERE (third || others)::bytea <> united OR (others || third)::bytea <> united OR united::topk <> third || others"),
	'', 'topk: unions have the documented bytes');

# bloom. The oracle gets the server's images and answers for them; those of small
# filters it makes itself. The last one is stored as an aggregate builds it: of its
# 1,007 values 15 are not in its blocks.

ask($node, q{
	CREATE AGGREGATE unfinished(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom);
	SET client_min_messages = error;
	CREATE TABLE filters (capacity bigint, rate float8, seed bigint, n int, f bloom);
	INSERT INTO filters SELECT capacity, rate, seed, n,
		(SELECT CASE WHEN n = 0 THEN bloom_empty(capacity, rate, seed) ELSE bloom_agg(v, capacity, rate, seed) END FROM generate_series(1, n) v)
	FROM (VALUES (1, 0.5, 0, 1), (10, 0.01, 0, 10), (10, 0.01, 0, 0), (10, 0.01, -7, 0), (100, 0.9, 0, 200), (300, 0.3, 12345, 300), (200, 0.001, 0, 200),
		(300, 0.01, -1, 290), (60, 0.0009, -9223372036854775808, 60), (200, 1e-9, 0, 200), (100, 0.1, 0, 100), (290, 0.05, 3, 290), (20000, 0.05, 0, 20000), (20000, 0.0005, 5, 25000)) t(capacity, rate, seed, n);
	INSERT INTO filters SELECT 500000, 0.01, 0, 1007, unfinished(v, 500000, 0.01) FROM generate_series(1, 1007) v});
my $copied = ask($node, 'COPY (SELECT capacity, rate, seed, n, f::bytea FROM filters) TO STDOUT') =~ s/\\\\/\\/gr;
my ($answered, $refused);
IPC::Run::run([ $python, '-B', source_root() . '/test/tap/bloom_oracle.py' ], '<', \"$copied\n", '>', \$answered, '2>', \$refused)
  or die "bloom_oracle.py: $refused";
my $filter_file = PostgreSQL::Test::Utils::tempdir() . '/bloom_oracle';
append_to_file($filter_file, $answered);
ask($node, qq{
	CREATE TABLE filter_oracle (capacity bigint, rate float8, seed bigint, n int, image bytea, answers text);
	COPY filter_oracle FROM '$filter_file';
	CREATE TABLE both_answers AS SELECT o.*, f, (SELECT string_agg(left(bloom_contains(f, v)::text, 1), '' ORDER BY v) FROM generate_series(o.n - 499, o.n + 500) v) AS server
	FROM filter_oracle o JOIN filters USING (capacity, rate, seed, n)});
is(ask($node, 'SELECT count(*), count(image) FROM both_answers'), '15|12', 'bloom: filters, and such as the oracle made');
is(ask($node, q{SELECT get_byte(f::bytea, 1) % 8 FROM both_answers ORDER BY capacity DESC LIMIT 1}), 1, 'bloom: one is in the building form');
is(ask($node, 'SELECT capacity, rate, seed, n FROM both_answers WHERE f::bytea <> image'), '', 'bloom: filters have the documented bytes');
is(ask($node, 'SELECT capacity, rate, seed, n FROM both_answers WHERE image::bloom <> f'), '', 'bloom: documented bytes are read');
is(ask($node, 'SELECT capacity, rate, seed, n FROM both_answers WHERE length(answers) <> 1000 OR answers <> server'), '', 'bloom: documented answers, 1,000 of each');
is( ask($node, q{SELECT count(*) FILTER (WHERE right(answers, 500) ~ 't') > 4, bool_and(n < 500 OR left(answers, 500) !~ 'f') FROM both_answers}),
	't|t', 'bloom: false positives are among them, but no false negatives');

$node->stop;
done_testing();
