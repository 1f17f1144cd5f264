# Standbys and subscribers: every stored sketch is there byte for byte, answers
# the same, and goes on being changed the same way.

use strict;
use warnings;

use BloomsketchServer;
use DistributedDocs;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SketchImages;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 'logical', extra => [ '--encoding=UTF8', '--locale=C' ]);
$primary->append_conf('postgresql.conf', 'jit = off');
$primary->start;
ask($primary, 'CREATE DATABASE shop');
ask($primary, 'CREATE EXTENSION bloomsketch', 'shop');

my $stored_query = 'SELECT name AS k, h FROM stored';
my $daily_query = 'SELECT region || day AS k, visitors AS h FROM daily';

# What the sketches `h` of a query are and answer; `k` names them.
sub state_of
{
	my ($node, $query, $database) = @_;
	my $answers = answers_for('hll', 'q.h');
	return ask($node, "SELECT k, h, $answers FROM ($query) q ORDER BY k COLLATE \"C\"", $database);
}

sub same_as_on_primary
{
	my ($node, $query, $name, $database) = @_;
	my $expected = state_of($primary, $query, 'shop');
	cmp_ok(length($expected), '>', 100, "there are sketches: $name");
	is(state_of($node, $query, $database // 'shop'), $expected, "same bytes and answers: $name");
	return;
}

# ---------------------------------------------------------------------------
# Streaming

my $stored = store_images($primary, 'stored', 'shop');
$primary->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'copy', has_streaming => 1);
$standby->start;

# What comes with the base backup, and what comes with the WAL.
same_as_on_primary($standby, $stored_query, 'base backup');
ask($primary, q{
	CREATE TABLE visits AS SELECT 'region ' || i % 3 AS region, date '2025-01-01' + i % 7 AS day, i % 9000 AS visitor
	FROM generate_series(1, 30000) i;
	CREATE TABLE daily (region text, day date, visitors hll, PRIMARY KEY (region, day));
	INSERT INTO daily SELECT region, day, hll_agg(visitor) FROM visits GROUP BY region, day;
	CREATE TABLE late AS SELECT * FROM stored WHERE name LIKE 'dense%';
	CREATE INDEX ON late USING hash (h);
	UPDATE stored SET h = hll_add(h, 4711) WHERE name IN ('empty, precision 14', 'values: integer', 'dense, precision 14');
	UPDATE stored SET h = h || hll_reduce((SELECT h FROM stored WHERE name = 'dense, precision 18'), 10)
	WHERE name = 'dense, precision 10';
	DELETE FROM stored WHERE name = 'values: oid'}, 'shop');
$primary->wait_for_catchup($standby);
same_as_on_primary($standby, $stored_query, 'changed by WAL');
same_as_on_primary($standby, $daily_query, 'built on the primary');
is(ask($standby, 'SELECT count(*), pg_is_in_recovery() FROM stored', 'shop'), ($stored - 1) . '|t', 'this is a standby');
is(ask($standby, q{SELECT extversion = default_version FROM pg_extension JOIN pg_available_extensions ON name = extname
	WHERE extname = 'bloomsketch'}, 'shop'), 't', 'the extension has arrived');

# A filter on a standby is as old as everything there.
ask($primary, q{CREATE TABLE filters AS SELECT bloom_agg(visitor, 50000, 0.01) AS f FROM visits}, 'shop');
$primary->wait_for_catchup($standby);
my $look_up = 'SELECT bloom_contains(f, 777777) FROM filters';
my $maybe = 'SELECT count(*) FROM visits WHERE bloom_contains((SELECT f FROM filters), visitor)';
is(ask($standby, "$maybe; $look_up", 'shop'), "30000\nf", 'look-ups on the standby');
ask($standby, 'SELECT pg_wal_replay_pause()');
ask($primary, 'UPDATE filters SET f = bloom_add(f, 777777); VACUUM filters', 'shop');
is(ask($primary, $look_up, 'shop') . ask($standby, $look_up, 'shop'), 'tf', 'a standby that lags denies what is new');
ask($standby, 'SELECT pg_wal_replay_resume()');
$primary->wait_for_catchup($standby);
is(ask($standby, "$maybe; $look_up", 'shop'), "30000\nt", 'and has it when it has caught up');

# So is a sketch of frequencies.
ask($primary, q{CREATE TABLE frequencies AS SELECT region, cms_agg(visitor) AS c FROM visits GROUP BY region}, 'shop');
$primary->wait_for_catchup($standby);
my $bytes = 'SELECT md5(string_agg(c::text, $$ $$ ORDER BY region)), cms_total(cms_union(c)), sum(cms_count(c, 5)) FROM frequencies';
is(ask($standby, $bytes, 'shop'), ask($primary, $bytes, 'shop'), 'frequencies on the standby');
ask($primary, q{UPDATE frequencies SET c = cms_add(c, 5, 1000000000000); VACUUM frequencies}, 'shop');
$primary->wait_for_catchup($standby);
is(ask($standby, $bytes, 'shop'), ask($primary, $bytes, 'shop'), 'and changed ones');
like(ask($standby, $bytes, 'shop'), qr/\|3000000030000\|/, 'which have what was added');
is(ask($standby, 'SELECT count(*), bool_and(c = made) FROM frequencies JOIN (SELECT region, cms_add(cms_agg(visitor), 5, 1000000000000) AS made
	FROM visits GROUP BY region) m USING (region)', 'shop'), '3|t', 'a standby makes the same from the same rows');

# And so are the most frequent values.
ask($primary, q{CREATE TABLE tops AS SELECT region, topk_agg('visitor ' || visitor, 10) AS t FROM visits GROUP BY region}, 'shop');
$primary->wait_for_catchup($standby);
my $top = q{SELECT md5(string_agg(t::text, ' ' ORDER BY region)), sum(topk_count(t, 'visitor 5')),
	(SELECT string_agg(concat_ws(' ', item, i.count, error), ', ' ORDER BY rank) FROM topk_items((SELECT topk_union(t ORDER BY region) FROM tops), 3) i) FROM tops};
is(ask($standby, $top, 'shop'), ask($primary, $top, 'shop'), 'most frequent values on the standby');
ask($primary, q{UPDATE tops SET t = topk_add(t, 'visitor 5', 1000000000000); VACUUM tops}, 'shop');
$primary->wait_for_catchup($standby);
is(ask($standby, $top, 'shop'), ask($primary, $top, 'shop'), 'and changed ones');
like(ask($standby, $top, 'shop'), qr/\|visitor 5 30000000000\d\d /, 'which begin with what was added');

# A standby makes the same sketches from the same rows, in parallel too.
my $query = 'SELECT region || day AS k, hll_agg(visitor) AS h FROM visits GROUP BY region, day';
my $expected = ask($primary, md5_of($daily_query), 'shop');
for my $workers (0, 2)
{
	my $settings = "SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; "
	  . 'SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
	is(ask($standby, "$settings; EXPLAIN (COSTS OFF) $query", 'shop') =~ /Gather/ ? 2 : 0, $workers, "workers: $workers");
	is(ask($standby, "$settings; " . md5_of($query), 'shop'), $expected, "made on the standby, $workers workers");
}
is( ask($standby, q{SET enable_seqscan = off;
		SELECT name FROM late WHERE h = (SELECT hll_agg(n, 18) FROM generate_series(1, 100000) n)}, 'shop'),
	'dense, precision 18', 'found through a hash index by a sketch made on the standby');
fails_with($standby, q{UPDATE stored SET h = hll_add(h, 1)}, '25006', 'read-only transaction',
	'a standby is read-only', 'shop');

# ---------------------------------------------------------------------------
# Logical replication, as in docs/DISTRIBUTED.md (binary) and in text form

my $subscriber = start_server('subscriber', 'wal_level = logical');
ask($subscriber, 'CREATE DATABASE shop');
for my $example (examples_for('replicas'))
{
	my $sql = $example->{sql};
	$sql =~ s{'host=primary\.example\.com dbname=shop'}{'$$' . $primary->connstr('shop') . '$$'}e;
	ask($example->{where} eq 'publisher' ? $primary : $subscriber, $sql, 'shop');
}

# In another database the extension lives in another schema; one table has no key,
# so that its rows are found by comparing sketches.
ask($subscriber, 'CREATE DATABASE elsewhere');
ask($subscriber, q{CREATE SCHEMA sketches; CREATE EXTENSION bloomsketch SCHEMA sketches;
	ALTER DATABASE elsewhere SET search_path = public, sketches}, 'elsewhere');
my $copies = 'CREATE TABLE copies (name text PRIMARY KEY, note text, h hll); '
  . 'CREATE TABLE keyless (note text, h hll); ALTER TABLE keyless REPLICA IDENTITY FULL';
ask($_->[0], $copies, $_->[1]) for [ $primary, 'shop' ], [ $subscriber, 'elsewhere' ];
ask($primary, q{INSERT INTO copies SELECT name, 'first', h FROM stored; INSERT INTO keyless SELECT name, h FROM stored;
	CREATE PUBLICATION in_text FOR TABLE copies, keyless}, 'shop');
ask($subscriber, q{CREATE SUBSCRIPTION in_text CONNECTION $$} . $primary->connstr('shop') . q{$$ PUBLICATION in_text},
	'elsewhere');
$subscriber->wait_for_subscription_sync($primary, 'sketches', 'shop');
$subscriber->wait_for_subscription_sync($primary, 'in_text', 'elsewhere');

my @replicated = (
	[ $daily_query, 'in binary', 'shop' ],
	[ q{SELECT name || coalesce(note, '-') AS k, h FROM copies}, 'in text', 'elsewhere' ],
	[ 'SELECT note AS k, h FROM keyless', 'without a key', 'elsewhere' ]);

is(ask($subscriber, q{SELECT string_agg(subname || ' ' || subbinary, ', ' ORDER BY subname) FROM pg_subscription}),
	'in_text false, sketches true', 'one subscription in text, one in binary');

sub all_replicated
{
	my ($when) = @_;
	$primary->wait_for_catchup('sketches');
	$primary->wait_for_catchup('in_text');
	same_as_on_primary($subscriber, $_->[0], "$_->[1], $when", $_->[2]) for @replicated;
	return;
}
all_replicated('initial copy');

# Changes; `note` alone is changed where the sketch lies out of line, which is
# then not sent at all.
ask($primary, q{
	INSERT INTO daily SELECT 'images ' || row_number() OVER (ORDER BY name), '2025-02-01', h FROM stored;
	INSERT INTO daily VALUES ('none', '2025-02-01', NULL);
	UPDATE daily SET visitors = hll_add(visitors, -1) WHERE day = '2025-01-02';
	UPDATE daily SET day = '2025-03-01' WHERE region LIKE 'images %';
	DELETE FROM daily WHERE day = '2025-01-03';
	UPDATE copies SET note = NULL WHERE name LIKE 'dense%';
	UPDATE copies SET h = h || hll_empty() WHERE name LIKE 'empty%';
	UPDATE copies SET h = hll_reduce(h, 8) WHERE name LIKE 'dense, precision 1%';
	INSERT INTO copies VALUES ('new', 'second', (SELECT hll_agg(i::text, 18, 99) FROM generate_series(1, 50000) i));
	DELETE FROM copies WHERE name = 'values: uuid';
	UPDATE keyless SET h = hll_add(h, 5) WHERE note IN ('values: integer', 'dense, precision 18', 'empty, precision 10');
	DELETE FROM keyless WHERE h = (SELECT h FROM stored WHERE name = 'united')}, 'shop');
all_replicated('changes');
is(ask($subscriber, q{SELECT count(*) FROM daily WHERE region LIKE 'images %' AND day = '2025-03-01'}, 'shop'),
	$stored - 1, 'changes have arrived');
is(ask($subscriber, q{SELECT hll_count(hll_union(visitors)) FROM daily WHERE region LIKE 'region %'}, 'shop'),
	ask($primary, q{SELECT hll_count(hll_union(visitors)) FROM daily WHERE region LIKE 'region %'}, 'shop'),
	'the subscriber unites');

# ---------------------------------------------------------------------------
# A promoted standby goes on where the primary was

$primary->wait_for_catchup($standby);
$standby->promote;
my $go_on = q{INSERT INTO daily SELECT region, day, hll_agg(visitor) FROM visits WHERE visitor < 50 GROUP BY region, day
	ON CONFLICT (region, day) DO UPDATE SET visitors = hll_add(daily.visitors || EXCLUDED.visitors, 123456)};
ask($_, $go_on, 'shop') for $primary, $standby;
same_as_on_primary($standby, $daily_query, 'after promotion');
is( ask($standby, q{SELECT count(*) FROM daily JOIN visits v USING (region, day)
		WHERE v.visitor < 50 AND hll_add(visitors, v.visitor) <> visitors}, 'shop'),
	0, 'it holds what was added');

done_testing();
