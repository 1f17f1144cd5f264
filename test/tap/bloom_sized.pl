# Filters that size themselves, at sizes that matter: as many bits as promised, serial and in
# parallel, and the memory that they take. bloom_sized.sql has the rest.

use strict;
use warnings;

use BloomsketchServer;
use Test::More;

my $node = start_server('bloom_sized', 'jit = off', 'autovacuum = off', 'shared_buffers = 64MB', 'max_parallel_workers = 4',
	'max_worker_processes = 8', 'fsync = off');
my $serial = 'SET max_parallel_workers_per_gather = 0';
my $parallel = join '; ', 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0',
  'SET min_parallel_table_scan_size = 0', 'SET max_parallel_workers_per_gather = 2';

# ---------------------------------------------------------------------------
# Sizes. Distinct values between 1e4 and 2e6, at random on a logarithmic scale, with a fixed
# seed; the second half of the rows repeats some of the first. Exactly what the fixed filter
# takes, whoever saw which rows.

ask($node, 'CREATE TABLE numbers WITH (parallel_workers = 2, autovacuum_enabled = off) AS
	SELECT i::bigint AS i FROM generate_series(1, 4000000) i; ANALYZE numbers');
my $state = 8;
for (1 .. 5)
{
	$state = ($state * 1103515245 + 12345) % 2**31;
	my $n = int(1e4 * 200**($state / 2**31));
	my $query = "SELECT md5(f::bytea), (bloom_info(f)).bits::float8 / (bloom_sizing($n, 0.01)).bits AS size, "
	  . "(bloom_info(f)).expected_rate <= 0.0105 AS rate "
	  . "FROM (SELECT bloom_agg(CASE WHEN i <= $n THEN i ELSE i * 7919 % $n + 1 END) AS f FROM numbers WHERE i <= " . 2 * $n . ') t';
	like(plan_of($node, $parallel, $query), qr/Gather.*Workers Launched: 2.*Partial Aggregate/s, "plan is parallel: $n values");
	my $one = ask($node, "$serial; $query");
	like($one, qr/^[0-9a-f]{32}\|1\|t$/, "$n values: the size of the fixed filter, and its rate");
	is(ask($node, "$parallel; $query"), $one, "$n values: the same in parallel");
}

# More than hashes are kept of: within 1.5 times the size. False positives among 200,000
# values, 3 standard deviations above the rate at most.
my $large = 'SELECT md5(f::bytea), (bloom_info(f)).bits::float8 / (bloom_sizing(3500000, 0.01)).bits <= 1.5 AS size, '
  . '(bloom_info(f)).layers, (bloom_info(f)).capacity BETWEEN 3490000 AND 3510000 AS capacity, '
  . '(SELECT count(*) <= 2000 + 3 * sqrt(2000) FROM generate_series(1, 200000) v WHERE bloom_contains(f, -v::bigint)) AS rate, '
  . '(SELECT bool_and(bloom_contains(f, v)) FROM generate_series(1, 3500000, 17) v) AS nothing_denied '
  . 'FROM (SELECT bloom_agg(i) AS f FROM numbers WHERE i <= 3500000 OFFSET 0) t';
my $one = ask($node, "$serial; $large");
like($one, qr/^[0-9a-f]{32}\|t\|1\|t\|t\|t$/, '3,500,000 values: size, layers, estimate, rate');
is(ask($node, "$parallel; $large"), $one, '3,500,000 values: the same in parallel');

# ---------------------------------------------------------------------------
# Memory. Over count(x), at most 160 MB for 10,000,000 distinct values: two oversized filters
# of 46 MB, as the executor copies what a step returns, and the hashes that they are made of.

sub peak_memory
{
	my ($aggregate) = @_;
	my $answer = ask($node, "$serial; SELECT $aggregate IS NOT NULL FROM (SELECT a.i * 4 + b AS x FROM numbers a, generate_series(0, 3) b "
		  . "WHERE a.i <= 2500000 OFFSET 0) t; SELECT pg_read_file('/proc/self/status')");
	my ($peak) = $answer =~ /^VmHWM:\s+(\d+) kB/m;
	my ($shared) = $answer =~ /^RssShmem:\s+(\d+) kB/m;
	return ($peak - $shared) / 1024;
}

SKIP:
{
	skip 'no /proc/self/status with VmHWM and RssShmem here', 2
	  unless (slurp_if_there('/proc/self/status') // '') =~ /^VmHWM:.*^RssShmem:/ms;
	my $over = peak_memory('bloom_agg(x)') - peak_memory('count(x)');
	cmp_ok($over, '<=', 160, sprintf '10,000,000 distinct values take %.0f MB over count(x)', $over);
	cmp_ok($over, '>=', 46, 'which was measured');
}

done_testing();
