# Parallel plans: the sketches have the bytes that serial plans give them,
# whoever aggregates which rows.

use strict;
use warnings;

use BloomsketchServer;
use Test::More;

my $node = start_server('parallel', 'max_worker_processes = 8', 'max_parallel_workers = 8', 'jit = off');

# Every tenth value is NULL. Group 0 has half of the rows and becomes dense at
# precision 10; the high groups have a few each.
my %expression_of = (
	small => '(i % 7000)::smallint',
	int4 => 'i',
	big => 'i::bigint * 1000000007',
	txt => q{'visitor ' || i},
	byt => q{decode(lpad(to_hex(i), 8, '0'), 'hex')},
	uid => 'md5(i::text)::uuid',
	num => '(i % 9000) / 4.0',
	day => q{date '2024-01-01' + i % 3000},
	stamp => q{timestamp '2024-01-01' + i * interval '1 minute'},
	stamptz => q{timestamptz '2024-01-01 00:00+00' + i * interval '1 minute'},
	chr => q{chr(33 + i % 90)::"char"},
	flt => 'sqrt(i)::float8',
	arr => 'ARRAY[i, i % 3]');
my @columns = sort keys %expression_of;

my $values = join ', ', map { "CASE WHEN i % 10 <> 3 THEN $expression_of{$_} END AS $_" } @columns;
ask($node, qq{
	CREATE TABLE visits AS
	SELECT i AS id, CASE WHEN i % 2 = 0 THEN 0 ELSE i % 997 END AS g, $values FROM generate_series(1, 40000) i;
	CREATE TABLE nulls AS SELECT g, NULL::bigint AS big, NULL::hll AS h FROM visits;
	CREATE TABLE sketches AS
	SELECT g, g % 9 AS bucket, hll_agg(txt, 10) AS h FROM visits GROUP BY g
	UNION ALL SELECT 1, 1, hll_agg(txt, 10) FROM visits WHERE int4 % 3 = 0
	UNION ALL SELECT -1, 1, hll_empty() UNION ALL SELECT -2, 1, hll_empty(10) UNION ALL SELECT -3, 1, NULL;
	INSERT INTO sketches SELECT * FROM sketches;
	ALTER TABLE visits SET (parallel_workers = 2);
	ALTER TABLE nulls SET (parallel_workers = 2);
	ALTER TABLE sketches SET (parallel_workers = 2);
	-- Pauses in the scan, so that no process takes all rows before the others start.
	CREATE VIEW paced AS SELECT * FROM visits WHERE id % 2000 <> 7 OR pg_sleep(0.003)::text = '';
	ANALYZE;
	-- Without statistics, so that the planner expects more than these two rows.
	CREATE TABLE few WITH (parallel_workers = 2, autovacuum_enabled = off) AS SELECT * FROM visits LIMIT 2});

my $serial = 'SET max_parallel_workers_per_gather = 0';
my $parallel = join '; ', 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0',
  'SET min_parallel_table_scan_size = 0', 'SET max_parallel_workers_per_gather = 2';
my %leader = (
	'leader on' => "$parallel; SET parallel_leader_participation = on",
	'leader off' => "$parallel; SET parallel_leader_participation = off");

my ($runs, $shared_runs) = (0, 0);

# The query's result under the settings, after a look at its plan: rows must
# really have been aggregated in workers and their states combined.
sub parallel_result
{
	my ($settings, $query, $name) = @_;
	my $plan = plan_of($node, $settings, $query);
	like($plan, qr/Finalize \w*Aggregate.*Gather.*Workers Launched: 2.*Partial \w*Aggregate/s,
		"plan is parallel: $name");
	++$runs;
	++$shared_runs if $plan =~ /Parallel Seq Scan.*Worker 0: +actual rows=[1-9].*Worker 1: +actual rows=[1-9]/s;
	return ask($node, "$settings; $query");
}

sub serial_result
{
	my ($query, $name) = @_;
	unlike(plan_of($node, $serial, $query), qr/Gather|Partial/, "plan is serial: $name");
	return ask($node, "$serial; $query");
}

sub same_in_parallel
{
	my ($query, $name) = @_;
	my $expected = serial_result($query, $name);
	like($expected, qr/\w/, "there is a result: $name");
	for my $mode (sort keys %leader)
	{
		is(parallel_result($leader{$mode}, $query, "$name, $mode"), $expected, "same bytes: $name, $mode");
	}
	return;
}

# Every concrete overload, and anyelement; at 40,000 rows most are dense.
same_in_parallel("SELECT md5(hll_agg($_)::bytea), approx_count_distinct($_) FROM paced", "hll_agg($_)")
  for @columns;

# Parameters travel with the states.
same_in_parallel('SELECT md5(hll_agg(big, 4)::bytea), md5(hll_agg(big, 18)::bytea) FROM paced', 'precision');
same_in_parallel('SELECT md5(hll_agg(txt, 11, 77)::bytea), md5(hll_agg(arr, 11, -1)::bytea) FROM paced', 'seed');

# Groups: sparse and dense states meet in Finalize.
same_in_parallel(md5_of('SELECT g AS k, hll_agg(txt, 10) AS h FROM paced GROUP BY g'), 'groups');
like(
	ask($node, q{SELECT string_agg(DISTINCT (hll_info(h)).representation, ' ') FROM sketches}),
	qr/dense.*empty.*sparse/, 'groups are of all forms');

# Stored sketches: empty, sparse, dense, NULL.
same_in_parallel('SELECT md5(hll_union(h)::bytea) FROM sketches', 'hll_union');
same_in_parallel(md5_of('SELECT bucket AS k, hll_union(h) AS h FROM sketches GROUP BY bucket'), 'hll_union in groups');
is( ask($node, 'SELECT hll_union(h) = (SELECT hll_agg(txt, 10) FROM visits) FROM sketches'),
	't', 'the union of all groups is the sketch of all values');

# Filters: in the form at rest and in that for building, with a seed, in groups, united.
same_in_parallel("SELECT md5(bloom_agg($_, 20000, 0.01)::bytea) FROM paced", "bloom_agg($_)") for @columns;
same_in_parallel('SELECT md5(bloom_agg(big, 600000, 0.01)::bytea), md5(bloom_agg(txt, 300000, 1e-5, 7)::bytea) FROM paced',
	'bloom_agg, large');
same_in_parallel(md5_of('SELECT g AS k, bloom_agg(txt, 200, 0.01) AS h FROM paced GROUP BY g'), 'bloom_agg in groups');
same_in_parallel("SELECT md5(bloom_agg($_)::bytea) FROM paced", "bloom_agg($_) without a capacity") for @columns;
same_in_parallel(md5_of('SELECT g AS k, bloom_agg(txt, 0.001) AS h FROM paced GROUP BY g'), 'bloom_agg without a capacity in groups');
ask($node, q{
	CREATE TABLE filters AS
	SELECT g, g % 9 AS bucket, bloom_agg(txt, 40000, 0.01) AS f FROM visits GROUP BY g
	UNION ALL SELECT -1, 1, bloom_agg(txt, 1, 0.5) FROM visits WHERE false
	UNION ALL SELECT -2, 1, bloom_empty(40000, 0.01) UNION ALL SELECT -3, 1, NULL;
	ALTER TABLE filters SET (parallel_workers = 2);
	ANALYZE filters});
same_in_parallel('SELECT md5(bloom_union(f)::bytea) FROM filters', 'bloom_union');
same_in_parallel(md5_of('SELECT bucket AS k, bloom_union(f) AS h FROM filters GROUP BY bucket'), 'bloom_union in groups');
is(ask($node, 'SELECT bloom_union(f) = (SELECT bloom_agg(txt, 40000, 0.01) FROM visits) FROM filters'),
	't', 'the union of all groups is the filter of all values');
my $asked = 'SELECT count(*) FROM visits WHERE bloom_contains((SELECT f FROM filters WHERE g = 0), txt)';
like(plan_of($node, $parallel, $asked), qr/Gather.*Workers Launched: 2/s, 'plan is parallel: bloom_contains');
is(ask($node, "$parallel; $asked"), ask($node, "$serial; $asked"), 'workers look up in a filter');

# Frequencies: by one and by weights, in groups that are lists and such as are dense, united.
same_in_parallel("SELECT md5(cms_agg($_)::bytea) FROM paced", "cms_agg($_)") for @columns;
same_in_parallel("SELECT md5(cms_agg($_, id, 0.02, 0.05)::bytea) FROM paced", "cms_agg($_, weight, epsilon, delta)")
  for @columns;
same_in_parallel('SELECT md5(cms_agg(big, id)::bytea), md5(cms_agg(big, 0.0001, 0.001)::bytea), '
	  . 'md5(cms_agg(txt, 3000000000, 0.01, 0.01, 77)::bytea), md5(cms_agg(arr, small::bigint, 0.01, 0.01, -1)::bytea) FROM paced',
	'cms_agg, parameters');
same_in_parallel(md5_of('SELECT g AS k, cms_agg(txt, id) AS h FROM paced GROUP BY g'), 'cms_agg in groups');
ask($node, q{
	CREATE TABLE frequencies AS
	SELECT g, g % 9 AS bucket, cms_agg(txt, id) AS c FROM visits GROUP BY g
	UNION ALL SELECT -1, 1, cms_empty() UNION ALL SELECT -2, 1, cms_empty(0.001, 0.01) UNION ALL SELECT -3, 1, NULL;
	ALTER TABLE frequencies SET (parallel_workers = 2);
	ANALYZE frequencies});
is(ask($node, q{SELECT string_agg(DISTINCT get_byte(c::bytea, 1) % 8 || '', ' ') FROM frequencies}), '0 1', 'sketches of both forms');
same_in_parallel('SELECT md5(cms_union(c)::bytea) FROM frequencies', 'cms_union');
same_in_parallel(md5_of('SELECT bucket AS k, cms_union(c) AS h FROM frequencies GROUP BY bucket'), 'cms_union in groups');
is(ask($node, 'SELECT cms_union(c) = (SELECT cms_agg(txt, id) FROM visits) FROM frequencies'),
	't', 'the union of all groups is the sketch of all values and weights');
my $counted = 'SELECT sum(cms_count((SELECT c FROM frequencies WHERE g = 0), txt)) FROM visits';
like(plan_of($node, $parallel, $counted), qr/Gather.*Workers Launched: 2/s, 'plan is parallel: cms_count');
is(ask($node, "$parallel; $counted"), ask($node, "$serial; $counted"), 'workers count in a sketch');
fails_with($node, "$leader{'leader off'}; SELECT cms_agg(big, 1000000000000000) FROM visits",
	'22003', 'total of a cms is out of range', 'a total that only the leader sees');

# The most frequent values. While each has a counter of its own the bytes are the same:
# k = 10,000 has counters for all, and for the groups 2,100 is enough.
same_in_parallel("SELECT md5(topk_agg($_, 10000)::bytea), md5(topk_agg($_, 10000, id)::bytea) FROM paced", "topk_agg($_)") for @columns;
same_in_parallel('SELECT md5(topk_agg(txt, 10000, 3000000000, 77)::bytea), md5(topk_agg(chr, 5, id, -1)::bytea) FROM paced',
	'topk_agg, parameters');
same_in_parallel(md5_of('SELECT g AS k, topk_agg(txt, 2100, id) AS h FROM paced GROUP BY g'), 'topk_agg in groups');
ask($node, q{
	CREATE TABLE tops AS
	SELECT g, g % 9 AS bucket, topk_agg(txt, 10000, id) AS t FROM visits GROUP BY g
	UNION ALL SELECT -1, 1, topk_agg(txt, 1) FROM visits WHERE false UNION ALL SELECT -2, 1, topk_empty(10000) UNION ALL SELECT -3, 1, NULL;
	ALTER TABLE tops SET (parallel_workers = 2);
	ANALYZE tops});
same_in_parallel('SELECT md5(topk_union(t)::bytea) FROM tops', 'topk_union');
same_in_parallel(md5_of('SELECT bucket AS k, topk_union(t) AS h FROM tops GROUP BY bucket'), 'topk_union in groups');
is(ask($node, 'SELECT topk_union(t) = (SELECT topk_agg(txt, 10000, id) FROM visits) FROM tops'),
	't', 'the union of all groups is the sketch of all values and weights');
my $topped = 'SELECT sum(topk_count((SELECT t FROM tops WHERE g = 0), txt)) FROM visits';
like(plan_of($node, $parallel, $topped), qr/Gather.*Workers Launched: 2/s, 'plan is parallel: topk_count');
is(ask($node, "$parallel; $topped"), ask($node, "$serial; $topped"), 'workers look up what a value came for');
my $rows = q{SELECT count(*), sum(i.count) FROM tops, topk_items(t) i WHERE i.item LIKE '%7'};
like(plan_of($node, $parallel, $rows), qr/Gather.*Workers Launched: 2.*Function Scan on public.topk_items/s, 'plan is parallel: topk_items');
is(ask($node, "$parallel; $rows"), ask($node, "$serial; $rows"), 'workers list rows');
fails_with($node, "$leader{'leader off'}; SELECT topk_agg(big, 10, 1000000000000000) FROM visits",
	'22003', 'total of a topk is out of range', 'a total that only the leader sees, topk');
# Settings that texts depend on are changed in workers as elsewhere.
my $texts = q{SELECT md5(topk_agg(stamptz, 10000)::bytea), md5(topk_agg(ARRAY[stamptz], 10000)::bytea), md5(topk_agg(ROW(day, flt), 10000)::bytea),
	md5(topk_agg(ARRAY[num::money], 10000)::bytea) FROM paced};
my $odd = q{SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'German'; SET extra_float_digits = -5; SET lc_monetary = 'POSIX'};
is(ask($node, "$leader{'leader off'}; $odd; $texts"), ask($node, "$serial; $texts"), 'texts in workers');

cmp_ok($shared_runs, '>', $runs / 2, "workers shared the rows in most runs ($shared_runs of $runs)");

# A table of one page goes to one worker; the other has no state to give.
for my $query (
	'SELECT md5(hll_agg(big)::bytea) FROM few',
	'SELECT md5(hll_agg(txt, 12, 5)::bytea) FROM few',
	'SELECT approx_count_distinct(day) FROM few',
	'SELECT md5(cms_agg(txt, 5)::bytea) FROM few',
	'SELECT md5(topk_agg(txt, 5)::bytea) FROM few')
{
	like(plan_of($node, $leader{'leader off'}, $query), qr/Parallel Seq Scan.*Worker \d+: +actual rows=0\b/s,
		"a worker has no rows: $query");
	same_in_parallel($query, 'a worker without rows');
}

# Nothing but NULL, and no rows at all.
same_in_parallel('SELECT hll_agg(big)::text, approx_count_distinct(big) FROM nulls', 'NULL values');
same_in_parallel('SELECT coalesce(hll_union(h)::text, $$none$$) FROM nulls', 'NULL sketches');
same_in_parallel('SELECT hll_agg(big)::text FROM visits WHERE g = -7', 'no rows');
same_in_parallel('SELECT cms_agg(big)::text, coalesce(cms_union(NULL::cms)::text, $$none$$) FROM nulls', 'NULL values and sketches, cms');
same_in_parallel('SELECT topk_agg(big, 5)::text, coalesce(topk_union(NULL::topk)::text, $$none$$) FROM nulls', 'NULL values and sketches, topk');
is(ask($node, 'SELECT hll_agg(big) = hll_empty() FROM nulls'), 't', 'NULL values make the empty sketch');

# Errors of the combining step: what differs was seen by different workers.
fails_with($node, "$leader{'leader off'}; SELECT hll_union(CASE WHEN g = 5 THEN hll_reduce(h, 9) ELSE h END)
	FROM sketches",
	'22023', 'precision', 'sketches of two precisions');
fails_with($node, "$leader{'leader off'}; SELECT hll_agg(big, CASE WHEN int4 < 20000 THEN 10 ELSE 11 END) FROM visits",
	'22023', 'precision', 'a precision that changes between workers');

# Partial aggregation without workers: partition by partition.
ask($node, q{
	CREATE TABLE parts (g int, txt text) PARTITION BY HASH (txt);
	CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	INSERT INTO parts SELECT g, txt FROM visits;
	ANALYZE parts});
my $by_partition = md5_of('SELECT g % 10 AS k, hll_agg(txt) AS h FROM parts GROUP BY g % 10');
my $partitionwise = "$serial; SET enable_partitionwise_aggregate = on";
like(plan_of($node, $partitionwise, $by_partition), qr/Finalize.*Append.*Partial.*Partial/s, 'plan is partitionwise');
is(ask($node, "$partitionwise; $by_partition"), ask($node, "$serial; $by_partition"), 'same bytes: partitionwise');

# The JIT compiles the calls of step functions, with and without workers.
SKIP:
{
	skip 'this server has no JIT', 4 if ask($node, 'SET jit = on; SELECT pg_jit_available()') ne 't';
	my $jit = 'SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; SET jit_optimize_above_cost = 0';
	my $query = md5_of('SELECT g % 5 AS k, hll_agg(txt, 10) AS h FROM visits GROUP BY g % 5');
	my $expected = ask($node, "$serial; $query");
	for my $settings ($serial, $leader{'leader on'})
	{
		like(plan_of($node, "$jit; $settings", $query), qr/JIT:\s+Functions: [1-9]/, 'plan is compiled');
		is(ask($node, "$jit; $settings; $query"), $expected, 'same bytes: JIT');
	}
}

$node->stop;
done_testing();
