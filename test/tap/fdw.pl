# postgres_fdw: three shards and a coordinator. The examples of
# docs/DISTRIBUTED.md run as they stand there; then the same is tried over more
# types and forms. All results are byte for byte those of a plain table.

use strict;
use warnings;

use BloomsketchServer;
use DistributedDocs;
use Test::More;

# Names of servers as in the examples; every server has a time zone of its own.
my %zone_of = (
	coordinator => 'Asia/Tokyo', america => 'America/New_York', asia => 'Asia/Kolkata', europe => 'UTC');
my @shards = qw(america asia europe);
my %node_of = map { $_ => start_server($_, "timezone = '$zone_of{$_}'", 'jit = off') } 'coordinator', @shards;
my $coordinator = $node_of{coordinator};
plan skip_all => 'this server has no postgres_fdw' if !available($coordinator, 'postgres_fdw');
ask($_, 'CREATE DATABASE shop') for values %node_of;

sub shop
{
	return ask($coordinator, $_[0], 'shop');
}

# ---------------------------------------------------------------------------
# The examples

for my $example (examples_for('fdw'))
{
	my $sql = $example->{sql};
	$sql =~ s{host '(\w+)\.example\.com'}{"host '" . $node_of{$1}->host . "', port '" . $node_of{$1}->port . "'"}ge;
	if ($example->{where} eq 'shards')
	{
		ask($node_of{$_}, $sql, 'shop') for @shards;
		next;
	}
	my $printed = printed($coordinator, $sql, 'shop');
	is($printed, $example->{printed}, "docs/DISTRIBUTED.md prints: $sql") if defined $example->{printed};
}

# ---------------------------------------------------------------------------
# What the examples say, row by row

shop('CREATE TABLE plain_visits AS SELECT * FROM visits; ANALYZE plain_visits');
my $by_day = 'SELECT day AS k, hll_agg(visitor) AS h FROM %s GROUP BY day';
my $by_region = 'SELECT region AS k, hll_agg(visitor) AS h FROM %s GROUP BY region';
my $partitionwise = 'SET enable_partitionwise_aggregate = on';

# The query's plan matches, and its sketches have the bytes that $expected gives.
sub same_sketches
{
	my ($settings, $query, $plan, $expected, $name) = @_;
	my @printed = split /\n/,
	  shop("$settings; EXPLAIN (VERBOSE, COSTS OFF) $query; " . md5_of($query) . '; ' . md5_of($expected));
	my ($got, $wanted) = splice @printed, -2;
	die "nothing to compare: $name\n" if $wanted !~ /^[1-9]\d* \w{32}$/;
	like(join("\n", @printed), $plan, "plan: $name");
	is($got, $wanted, "same bytes: $name");
	return;
}

is(shop('SELECT count(*), count(DISTINCT region) FROM plain_visits'), '30000|3', 'there are visits in all regions');
same_sketches('SELECT', 'SELECT day AS k, hll_union(visitors) AS h FROM daily GROUP BY day',
	qr/(Async Foreign Scan on public\.daily_\w+.*){3}/s, sprintf($by_day, 'plain_visits'), 'stored sketches, united');
same_sketches($partitionwise, sprintf($by_region, 'visits'),
	qr/^Append\n(  ->  Async Foreign Scan\n.*?Remote SQL: SELECT region, public\.hll_agg\(visitor\) FROM [^\n]*\n?){3}$/s,
	sprintf($by_region, 'plain_visits'), 'grouped by the partition key');
same_sketches($partitionwise, sprintf($by_day, 'visits'),
	qr/^Finalize(?!.*Async).*(Partial.*Remote SQL: SELECT day, visitor FROM.*){3}/s,
	sprintf($by_day, 'plain_visits'), 'grouped by something else');
same_sketches($partitionwise, 'SELECT day AS k, hll_union(h) AS h FROM (SELECT region, day, hll_agg(visitor) AS h '
	  . 'FROM visits GROUP BY region, day) parts GROUP BY day',
	qr/(Async Foreign Scan.*Remote SQL: SELECT region, day, public\.hll_agg\(visitor\) FROM.*){3}/s,
	sprintf($by_day, 'plain_visits'), 'united from sketches of the shards');
is(shop('SELECT count(*) FROM daily'), 30, 'stored sketches are there');

# Changing stored sketches from the coordinator.
my $change = q{UPDATE daily SET visitors = hll_add(visitors, -7) || hll_add(hll_empty(), -8) WHERE day = '2025-01-03'};
like(shop("EXPLAIN (VERBOSE, COSTS OFF) $change"),
	qr/(Remote SQL: UPDATE public\.daily SET visitors = .*hll_add.*){3}/s, 'an update is sent along');
same_sketches("$change; SELECT", q{SELECT region AS k, visitors AS h FROM daily WHERE day = '2025-01-03'}, qr/Foreign/,
	q{SELECT region AS k, hll_agg(visitor) AS h FROM (SELECT region, visitor FROM plain_visits WHERE day = '2025-01-03'
	  UNION ALL SELECT region, v FROM unnest(ARRAY['america', 'asia', 'europe']) region, unnest('{-7,-8}'::bigint[]) v) q
	  GROUP BY region}, 'changed sketches');

# ---------------------------------------------------------------------------
# Whole aggregates over one foreign table, for all sorts of values and forms

my %expression_of = (
	small => '(i % 7000)::smallint', int4 => 'i', big => 'i * 1000000007::bigint', txt => q{'visitor ' || i},
	byt => q{decode(lpad(to_hex(i), 8, '0'), 'hex')}, uid => 'md5(i::text)::uuid', num => 'i / 4.0',
	day => q{date '2024-01-01' + i % 3000}, stamp => q{timestamp '2024-01-01' + i * interval '1 minute'},
	stamptz => q{timestamptz '2024-01-01 00:00+00' + i * interval '1 minute'}, chr => q{chr(33 + i % 90)::"char"},
	flt => 'sqrt(i)', arr => 'ARRAY[i, i % 3]', doc => q{jsonb_build_object('i', i)});
my @columns = sort keys %expression_of;
my $values = join ', ', map { "CASE WHEN i % 10 <> 3 THEN $expression_of{$_} END AS $_" } @columns;
ask($node_of{asia}, "CREATE TABLE things AS SELECT i % 5 AS g, $values FROM generate_series(1, 4000) i", 'shop');
shop('IMPORT FOREIGN SCHEMA public LIMIT TO (things) FROM SERVER asia INTO public; '
	  . 'CREATE TABLE plain_things AS SELECT * FROM things');

# The aggregate runs on the shard, and the coordinator does nothing.
sub same_from_one_shard
{
	my ($call) = @_;
	my $query = "SELECT g AS k, $call AS h FROM %s GROUP BY g HAVING count(*) > 0";
	same_sketches('SELECT', sprintf($query, 'things'),
		qr/^Foreign Scan\n(?!.*Aggregate\n).*Remote SQL: SELECT g, \(?public\.(?:hll|bloom|cms|topk)_/s,
		sprintf($query, 'plain_things'), $call);
	return;
}

same_from_one_shard("hll_agg($_)") for @columns;
same_from_one_shard($_) for 'hll_agg(big, 11)', 'hll_agg(txt, 11, 77)', 'hll_agg(flt, 4, -1)',
  'hll_agg(DISTINCT txt ORDER BY txt DESC)', 'hll_agg(int4) FILTER (WHERE int4 % 2 = 0)',
  q{hll_agg(CASE WHEN small > 5 THEN 'x ' || txt END)}, q{hll_add(hll_agg(day), '2030-01-01'::date) || hll_empty(14)};
same_from_one_shard($_) for 'bloom_agg(txt, 900, 0.01)', 'bloom_agg(big, 900, 0.0001)', 'bloom_agg(flt, 900, 0.01, 7)',
  'bloom_agg(day, 900, 0.01) || bloom_empty(900, 0.01)';
same_from_one_shard("cms_agg($_)") for @columns;
same_from_one_shard($_) for 'cms_agg(big, 7)', 'cms_agg(txt, int4::bigint)', 'cms_agg(flt, 0.01, 0.1)', 'cms_agg(day, 1000000000000, 0.01, 0.1)',
  'cms_agg(arr, int4::bigint, 0.05, 0.1, 7)', 'cms_agg(DISTINCT txt)', 'cms_agg(int4) FILTER (WHERE int4 % 2 = 0)',
  'cms_agg(day) || cms_empty(0.001, 0.01)', 'cms_add(cms_agg(int4), 5, 100)';
same_sketches('SELECT', 'SELECT g AS k, cms_agg(txt) AS h FROM things GROUP BY g', qr/^Foreign Scan/,
	'SELECT g AS k, cms_union(c) AS h FROM (SELECT g, cms_agg(txt) AS c FROM plain_things GROUP BY g, int4 % 3) parts GROUP BY g',
	'frequencies, united here');
is(shop('SELECT cms_total(cms_agg(txt)), cms_count(cms_agg(int4), 5), cms_inner_product(cms_agg(txt), cms_agg(txt)) >= 3600 FROM things'),
	'3600|1|t', 'frequencies that the shard counts');
# With counters for all the bytes are the same; the shard sends them at rest.
same_from_one_shard("topk_agg($_, 500)") for @columns;
same_from_one_shard($_) for 'topk_agg(txt, 500, int4::bigint)', 'topk_agg(arr, 500, int4::bigint, 7)', 'topk_agg(DISTINCT txt, 500)',
  'topk_agg(int4, 500) FILTER (WHERE int4 % 2 = 0)', 'topk_agg(day, 500) || topk_empty(500)', 'topk_add(topk_agg(int4, 500), 5, 100)';
is(shop('SELECT (topk_info(topk_agg(txt, 10))).total, topk_count(topk_agg(int4, 500), 5) FROM things'), '3600|1', 'most frequent values that the shard finds');
is(shop('SET TimeZone = \'Asia/Tokyo\'; SELECT topk_agg(stamptz, 500) = (SELECT topk_agg(stamptz, 500) FROM plain_things) FROM things'), 't',
	'texts of the shard and of here');
is(shop('SELECT bloom_agg(txt, 600000, 0.01) = (SELECT bloom_agg(txt, 600000, 0.01) FROM plain_things) FROM things'),
	't', 'a large filter');
ask($node_of{asia}, q{CREATE TABLE filters AS SELECT bloom_agg(txt, 100000, 0.01) AS f, bloom_agg(int4, 100000, 0.01) AS i
	FROM things}, 'shop');
shop('IMPORT FOREIGN SCHEMA public LIMIT TO (filters) FROM SERVER asia INTO public');
like(shop(q{EXPLAIN (VERBOSE, COSTS OFF) SELECT 1 FROM filters WHERE bloom_contains(i, 5)}),
	qr/^Foreign Scan.*WHERE .*bloom_contains\(i, 5\)/s, 'a look-up is sent along in a condition');
like(shop(q{EXPLAIN (VERBOSE, COSTS OFF) SELECT 1 FROM filters WHERE bloom_contains(f, 'visitor 5')}),
	qr/^Foreign Scan.*Filter: bloom_contains.*Remote SQL: SELECT f FROM/s, 'but not that of a text');
is(shop(q{SELECT count(*) FILTER (WHERE bloom_contains((SELECT f FROM filters), txt)), count(txt) FROM plain_things}),
	'3600|3600', 'a filter from the shard, asked here');
is( shop('SELECT hll_agg(big) = (SELECT hll_agg(big) FROM plain_things), approx_count_distinct(big, 9) > 3000 FROM things'),
	't|t', 'without groups');
like(
	shop('EXPLAIN (VERBOSE, COSTS OFF) SELECT g, approx_count_distinct(txt) FROM things GROUP BY g ORDER BY 2 DESC LIMIT 2'),
	qr/^Foreign Scan.*ORDER BY public\.approx_count_distinct\(txt\) DESC.*LIMIT 2/s, 'the shard sorts by estimates');
is(shop('SELECT hll_agg(big) = hll_empty() FROM things WHERE g = 77'), 't', 'no rows on the shard');
my $filtered = 'SELECT g, hll_count(hll_agg(txt)) FROM things WHERE hll_count(hll_add(hll_empty(), txt)) = 1 '
  . 'GROUP BY g HAVING hll_count(hll_agg(txt)) > 500';
like(shop("EXPLAIN (VERBOSE, COSTS OFF) $filtered"), qr/^Foreign Scan.*SELECT g, public\.hll_count.*WHERE .*HAVING /s,
	'functions are sent along in conditions');
is(shop("SELECT count(*) FROM ($filtered) q"), 4, 'functions in conditions');

# Without the option nothing is sent along, and the answers are the same.
shop('ALTER SERVER asia OPTIONS (DROP extensions)');
same_sketches('SELECT', 'SELECT g AS k, hll_agg(txt) AS h FROM things GROUP BY g',
	qr/HashAggregate.*Remote SQL: SELECT g, txt FROM public\.things/s,
	'SELECT g AS k, hll_agg(txt) AS h FROM plain_things GROUP BY g', 'without extensions');
shop(q{ALTER SERVER asia OPTIONS (ADD extensions 'bloomsketch')});

# A column declared as something else gives sketches of what the shard has.
shop(q{CREATE FOREIGN TABLE wrong (big text) SERVER asia OPTIONS (table_name 'things')});
fails_with($coordinator, 'SELECT hll_union(h) FROM (SELECT hll_agg(big) AS h FROM wrong '
	  . 'UNION ALL SELECT hll_agg(big::text) FROM plain_things) parts',
	'42804', 'hll of integer values does not go with text values|hll of text values does not go with integer values',
	'a foreign column of another type', 'shop');

# ---------------------------------------------------------------------------
# Local partitions: one by one, and in workers

shop(q{
	CREATE TABLE parts (LIKE plain_visits) PARTITION BY LIST (region);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN ('america') WITH (parallel_workers = 2);
	CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN ('asia', 'europe') WITH (parallel_workers = 2);
	INSERT INTO parts SELECT * FROM plain_visits;
	ANALYZE parts});
my $parallel = join '; ', 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0',
  'SET min_parallel_table_scan_size = 0';
same_sketches("$parallel; $partitionwise", sprintf($by_region, 'parts'), qr/Gather.*Parallel Append/s,
	sprintf($by_region, 'plain_visits'), 'Parallel Append, grouped by the partition key');
same_sketches("$parallel; $partitionwise", sprintf($by_day, 'parts'),
	qr/Finalize.*Gather.*Parallel Append.*Partial.*Partial/s,
	sprintf($by_day, 'plain_visits'), 'Parallel Append, grouped by something else');
same_sketches("$parallel", sprintf($by_day, 'parts'), qr/Finalize.*Gather.*Partial.*Parallel Append/s,
	sprintf($by_day, 'plain_visits'), 'Parallel Append below the aggregate');

done_testing();
