# Sketches have the bytes and the estimates that another implementation of
# docs/FORMAT.md gives, and what it writes is read here.

use strict;
use warnings;

use BloomsketchServer;
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

$node->stop;
done_testing();
