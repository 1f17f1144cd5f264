# Window frames that move: the bytes of the plain way, time that does not depend on
# the frame's length, and memory within its limit.

use strict;
use warnings;

use BloomsketchServer;
use List::Util qw(min);
use Test::More;

my $node = start_server('windows', 'max_parallel_workers_per_gather = 0', 'jit = off', 'shared_buffers = 64MB');
my $limit = "SET statement_timeout = '300s'";

# 2,000 stored days; and aggregates without an inverse, which unite the whole frame.
ask($node, q{
	CREATE TABLE some_days AS SELECT day, cms_agg(i * (day * 7 + 1) % (1 + i % 5000)) AS cms, hll_agg(i * (day * 7 + 1)) AS hll
	FROM generate_series(1, 100) day, generate_series(1, 10000) i GROUP BY day;
	CREATE TABLE days AS SELECT day + 100 * copy AS day, cms, hll FROM some_days, generate_series(0, 19) copy;
	CREATE AGGREGATE plain_cms(cms) (SFUNC = cms_union_step, STYPE = cms, FINALFUNC = cms_union_final);
	CREATE AGGREGATE plain_hll(hll) (SFUNC = hll_union_step, STYPE = hll, FINALFUNC = hll_union_final);
	VACUUM ANALYZE days});

sub united
{
	my ($answer, $aggregate, $type, $preceding) = @_;
	return "SELECT $answer FROM (SELECT day, $aggregate($type) OVER (ORDER BY day ROWS $preceding PRECEDING) AS sum FROM days) frames";
}

# Processor time in ticks of 10 ms, since other programs may run as well; where the
# system does not tell, the time on the clock.
my $ticks = q{SELECT sum(t::bigint) FROM (SELECT unnest((regexp_split_to_array(pg_read_file('/proc/self/stat'),
	'\s+'))[14:15]) AS t) stat};
$ticks = 'SELECT round(extract(epoch FROM clock_timestamp()) * 100)' unless -r '/proc/self/stat';

sub frame_ticks
{
	my ($from, $result, $to) = split /\n/, ask($node, "$limit; $ticks; " . united('count(sum)', @_) . "; $ticks");
	return $to - $from;
}

# For each day cms_union adds one and takes one away, and hll_union unites it twice.
# Both then write what comes out, which takes as long whatever the frame: a month has
# the work of a week, up to turns that come less often and caches (1.5). The plain
# way unites 28 for each row, where the moving one has at most four times the work of
# uniting one, the writing included: 28 / (4 + 4) = 3.5 without noise, hence 2.
for my $type ('cms', 'hll')
{
	for my $preceding (6, 27)
	{
		my ($moving, $plain) = map { ask($node, united(q{md5(string_agg(md5(sum::bytea), '' ORDER BY day))}, $_, $type, $preceding)) }
		  "${type}_union", "plain_$type";
		is($moving, $plain, "$type: the bytes of the plain way, $preceding days before each");
	}
	# In turns, the quickest of each.
	my %frame = (week => [ "${type}_union", $type, 6 ], month => [ "${type}_union", $type, 27 ], plain_month => [ "plain_$type", $type, 27 ]);
	my %ticks_of = map { $_ => 1e9 } keys %frame;
	for (1 .. 3)
	{
		$ticks_of{$_} = min($ticks_of{$_}, frame_ticks(@{ $frame{$_} })) for sort keys %frame;
	}
	note("$type: " . join ', ', map { "$_ $ticks_of{$_}" } sort keys %ticks_of);
	cmp_ok($ticks_of{plain_month}, '>=', 20, "$type: long enough to compare");
	cmp_ok($ticks_of{month}, '<=', 1.5 * $ticks_of{week} + 2, "$type: a frame of 28 days has the work of one of 7");
	cmp_ok($ticks_of{plain_month}, '>=', 2 * $ticks_of{month}, "$type: and half of what the plain way takes, or less");
}

# ---------------------------------------------------------------------------
# Memory: a frame of 1,000 dense sketches is 16 MB when it is turned over. It may take
# what a hash table may, and else nothing but a union.

sub peak_memory
{
	my ($settings, $aggregate) = @_;
	my $answer = ask($node, "$limit; $settings; " . united('count(sum)', $aggregate, 'hll', 999)
		  . " WHERE day > 0; SELECT pg_read_file('/proc/self/status')");
	my ($peak) = $answer =~ /^VmHWM:\s+(\d+) kB/m;
	my ($shared) = $answer =~ /^RssShmem:\s+(\d+) kB/m;
	return ($peak - $shared) / 1024;
}

SKIP:
{
	skip 'no /proc/self/status with VmHWM and RssShmem here', 2
	  if !-r '/proc/self/status' || PostgreSQL::Test::Utils::slurp_file('/proc/self/status') !~ /^VmHWM:.*^RssShmem:/ms;
	ask($node, 'DELETE FROM days WHERE day > 1100');
	my $little = "SET work_mem = '1MB'; SET hash_mem_multiplier = 1";
	my $plain = peak_memory($little, 'plain_hll');
	my $within = peak_memory($little, 'hll_union') - $plain;
	my $beyond = peak_memory("SET work_mem = '100MB'", 'hll_union') - $plain;
	cmp_ok($within, '<=', 3, sprintf 'with a limit of 1 MB a frame takes %.1f MB more', $within);
	cmp_ok($beyond, '>=', 12, sprintf 'and without one %.1f MB', $beyond);
}

# NULL takes memory in the queue, too, and more of them than fit are no error.
is(ask($node, q{SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
	SELECT count(*), count(u) FROM (SELECT hll_union(CASE WHEN i = 3000 THEN hll_empty() END) OVER (ORDER BY i
		ROWS BETWEEN 1990 PRECEDING AND CURRENT ROW) AS u FROM generate_series(1, 5000) i) s}), '5000|1991', 'a queue of NULL');

$node->stop;
done_testing();
