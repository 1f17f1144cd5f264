# Many clients at once: no value that was committed is lost, none that was rolled
# back is left; and a statement that is cancelled half-way leaves the session well.

use strict;
use warnings;

use BloomsketchServer;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('concurrency', 'max_connections = 30');
my $folder = PostgreSQL::Test::Utils::tempdir();

sub pgbench
{
	my ($name, $transactions, $database, %script_of) = @_;
	my @files;
	for my $script (sort keys %script_of)
	{
		my $file = "$folder/$script.sql";
		append_to_file($file, $script_of{$script});
		push @files, '-f', $file;
	}
	return $node->command_ok(
		[ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', $transactions, '--random-seed=7', '-M', 'prepared', @files,
			$node->connstr($database) ],
		$name);
}

# ---------------------------------------------------------------------------
# Upserts and updates of a few rows. Each transaction writes the values that it
# adds into a log as well; at the end the sketches are those of the log. At
# precision 10 some rows turn dense meanwhile.

ask($node, q{
	CREATE TABLE united (day int PRIMARY KEY, h hll);
	CREATE TABLE added (day int PRIMARY KEY, h hll);
	CREATE TABLE counted (day int PRIMARY KEY, c cms);
	INSERT INTO counted SELECT day, cms_empty(0.01, 0.1, 3) FROM generate_series(1, 4) day;
	CREATE TABLE tops (day int PRIMARY KEY, t topk);
	INSERT INTO tops SELECT day, topk_empty(5, 3) FROM generate_series(1, 4) day;
	CREATE TABLE log (route text, day int, v bigint);
	INSERT INTO united VALUES (1, NULL);
	INSERT INTO added SELECT day, hll_empty(10, 3) FROM generate_series(1, 4) day});

pgbench('8 clients upsert, update and roll back', 320, 'postgres',
	upsert => q{
		\set day random(1, 4)
		\set v random(1, 1000000000)
		BEGIN;
		INSERT INTO log VALUES ('united', :day, :v);
		INSERT INTO united AS t VALUES (:day, (SELECT hll_agg(:v::bigint, 10)))
		ON CONFLICT (day) DO UPDATE SET h = coalesce(t.h, hll_empty()) || EXCLUDED.h;
		COMMIT;
	},
	add => q{
		\set day random(1, 4)
		\set v random(1, 1000000000)
		BEGIN;
		UPDATE added SET h = hll_add(h, :v::bigint) WHERE day = :day;
		INSERT INTO log VALUES ('added', :day, :v);
		COMMIT;
	},
	count => q{
		\set day random(1, 4)
		\set v random(1, 200)
		BEGIN;
		INSERT INTO log VALUES ('counted', :day, :v);
		INSERT INTO counted AS t VALUES (:day, cms_add(cms_empty(0.01, 0.1, 3), :v::bigint, 2))
		ON CONFLICT (day) DO UPDATE SET c = t.c || EXCLUDED.c;
		COMMIT;
	},
	top => q{
		\set day random(1, 4)
		\set v random(1, 200)
		BEGIN;
		INSERT INTO log VALUES ('tops', :day, :v);
		INSERT INTO tops AS t VALUES (:day, topk_add(topk_empty(5, 3), 'value ' || :v, 2))
		ON CONFLICT (day) DO UPDATE SET t = t.t || EXCLUDED.t;
		COMMIT;
	},
	rolled_back => q{
		\set day random(1, 4)
		\set v random(1, 1000000000)
		BEGIN;
		UPDATE counted SET c = cms_add(c, 5, :v) WHERE day = :day;
		UPDATE tops SET t = topk_add(t, 'value 5', :v) WHERE day = :day;
		ROLLBACK;
		BEGIN;
		UPDATE united SET h = coalesce(h, hll_empty()) || (SELECT hll_agg(:v::bigint, 10)) WHERE day = :day;
		ROLLBACK;
		BEGIN;
		UPDATE added SET h = hll_add(h, :v::bigint) WHERE day = :day;
		ROLLBACK;
	});

my $logged = ask($node, q{SELECT count(*) FROM log});
cmp_ok($logged, '>', 800, "many values were committed ($logged)");
is(ask($node, q{SELECT count(*), bool_and(h = from_log) FROM united JOIN (SELECT day, hll_agg(v, 10) AS from_log
	FROM log WHERE route = 'united' GROUP BY day) l USING (day)}),
	'4|t', 'each upserted row is the sketch of its committed values');
is(ask($node, q{SELECT count(*), bool_and(h = from_log) FROM added JOIN (SELECT day, hll_agg(v, 10, 3) AS from_log
	FROM log WHERE route = 'added' GROUP BY day) l USING (day)}),
	'4|t', 'each updated row is the sketch of its committed values');
is(ask($node, q{SELECT count(*), bool_and(c = from_log), sum(cms_total(c)) = (SELECT 2 * count(*) FROM log WHERE route = 'counted')
	FROM counted JOIN (SELECT day, cms_agg(v, 2, 0.01, 0.1, 3) AS from_log FROM log WHERE route = 'counted' GROUP BY day) l USING (day)}),
	'4|t|t', 'each counting row has every committed value as often as it was');
is(ask($node, q{SELECT count(*), bool_and(t = from_log) FROM tops
	JOIN (SELECT day, topk_agg('value ' || v, 5, 2, 3) AS from_log FROM log WHERE route = 'tops' GROUP BY day) l USING (day)}),
	'4|t', 'and so has each row of the most frequent values');
like(ask($node, q{SELECT string_agg((hll_info(h)).representation, ' ') FROM united}), qr/dense/, 'and some are dense');

# ---------------------------------------------------------------------------
# Readers see whole sketches, never one that is being changed: every count that a
# reader sees of a growing set is one that a writer committed.

ask($node, q{
	CREATE TABLE growing (id int PRIMARY KEY, n int, h hll);
	INSERT INTO growing VALUES (1, 0, hll_empty(10));
	CREATE TABLE seen (n int, same boolean)});
pgbench('clients write and read', 150, 'postgres',
	write => 'UPDATE growing SET n = n + 1, h = hll_add(h, n + 1) WHERE id = 1;',
	read => q{
		INSERT INTO seen SELECT n, h IS NOT DISTINCT FROM
			hll_empty(10) || coalesce((SELECT hll_agg(i, 10) FROM generate_series(1, n) i), hll_empty())
		FROM growing;});
is(ask($node, 'SELECT bool_and(same), count(DISTINCT n) > 20 FROM seen'), 't|t',
	'readers see the sketch of what was committed');

# ---------------------------------------------------------------------------
# Several sessions install the extension at once: it is there once, and whole.

ask($node, 'CREATE DATABASE fresh');
append_to_file("$folder/install.sql", "CREATE EXTENSION IF NOT EXISTS bloomsketch;\n");
PostgreSQL::Test::Utils::system_log('pgbench', '-n', '-c', 8, '-j', 2, '-t', 1, '-f', "$folder/install.sql",
	$node->connstr('fresh'));
is( ask($node, q{SELECT count(*), (SELECT #hll_agg(i) FROM generate_series(1, 5) i)
		FROM pg_extension WHERE extname = 'bloomsketch'}, 'fresh'),
	'1|5', 'installed once');

# ---------------------------------------------------------------------------
# Ended in the middle of all kinds of work, by a timeout and by an error in row
# 5,000, again and again in one session: it goes on well and loses no memory.

sub unfinished
{
	my ($value, $from) = @_;
	return (
		"SELECT hll_agg($value) FROM $from;\n",
		"SELECT count(h) FROM (SELECT hll_agg($value, 10) AS h FROM $from GROUP BY c % 100) t;\n",
		"SELECT hll_union(hll_add(hll_empty(14), $value)) FROM $from;\n",
		"SELECT count(*) FILTER (WHERE n < 0) FROM (SELECT hll_count(hll_agg($value, 10) OVER frame) AS n
			FROM $from WINDOW frame AS (ORDER BY c ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)) t;\n",
		"SELECT cms_agg($value) FROM $from;\n",
		"SELECT count(h) FROM (SELECT cms_agg($value, c, 0.01, 0.1) AS h FROM $from GROUP BY c % 100) t;\n",
		"SELECT cms_union(cms_add(cms_empty(), $value)) FROM $from;\n",
		"SELECT count(*) FILTER (WHERE n < 0) FROM (SELECT cms_total(cms_union(cms_add(cms_empty(0.1, 0.1), $value)) OVER frame) AS n
			FROM $from WINDOW frame AS (ORDER BY c ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)) t;\n",
		"SELECT topk_agg($value, 10) FROM $from;\n",
		"SELECT count(t) FROM (SELECT topk_agg(($value)::numeric, 10, c) AS t FROM $from GROUP BY c % 100) t;\n",
		"SELECT topk_union(topk_add(topk_empty(10), repeat('x', 50) || $value)) FROM $from;\n",
		"SELECT topk_agg(ARRAY[now() + ($value) * interval '1 microsecond'], 10) FROM $from;\n",
		"SELECT hll_agg(jsonb_build_array($value, repeat('x', 1000))) FROM $from;\n");
}

my @endless = unfinished('a::bigint * 100000000 + b * 10000 + c',
	'generate_series(1, 10000) a, generate_series(1, 10000) b, generate_series(1, 10000) c');
my @failing = unfinished('c + 0 / (5000 - c)', 'generate_series(1, 6000) c');
my $all = join '', "SET statement_timeout = '120ms';\n", @endless, "RESET statement_timeout;\n", (@failing) x 5;
my $memory = "SELECT sum(used_bytes) FROM pg_backend_memory_contexts;\n";
my $rounds = 4;
my ($out, $err) = ('', '');
$node->psql('postgres',
	"SET work_mem = '1GB';\n$all$memory" . $all x $rounds
	  . "$memory SELECT #hll_agg(i) FROM generate_series(1, 9) i",
	on_error_stop => 0, stdout => \$out, stderr => \$err);
is(() = $err =~ /ERROR:  canceling statement due to statement timeout/g, @endless * ($rounds + 1),
	'endless statements are cancelled');
is(() = $err =~ /ERROR:  division by zero/g, 5 * @failing * ($rounds + 1), 'failing statements fail');
is(() = $err =~ /ERROR/g, (@endless + 5 * @failing) * ($rounds + 1), 'and there are no other errors');
my ($before, $after, $count) = split /\n/, $out;
is($count, 9, 'the session goes on well');
cmp_ok($after - $before, '<', 50_000, 'and loses no memory');

$node->stop;
done_testing();
