# The recipes of docs/COOKBOOK.md where several sessions meet: rows that become
# visible late are found, and no value comes in twice. So are rows whose number comes
# from elsewhere; a bulk load probes the index; and counts that several clients add
# lose nothing. readme.pl runs the rest.

use strict;
use warnings;

use BloomsketchServer;
use DistributedDocs;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('cookbook', 'jit = off');
my $folder = PostgreSQL::Test::Utils::tempdir();

# The statements of a recipe, by what they are for.
sub recipe
{
	my ($name) = @_;
	my %sql_of;
	$sql_of{ $_->{where} } .= $_->{sql} for examples_for($name, 'COOKBOOK.md');
	ask($node, $sql_of{setup});
	return %sql_of;
}

# ---------------------------------------------------------------------------
# Keeping a filter current. A transaction inserts, others insert, commit and refresh,
# and then it commits.

my %current = recipe('current');
append_to_file("$folder/refresh.sql", $current{refresh});
my $other = "\\! psql -X -q -d '" . $node->connstr('postgres') . "'";
my $denied = q{SELECT count(*) FROM users WHERE NOT bloom_contains((SELECT filter FROM filters), email);};
ask($node, 'CREATE TABLE by_id AS SELECT max(id) AS last, bloom_agg(email, 100000, 0.01) AS filter FROM users');
my $refresh_by_id = q{UPDATE by_id SET filter = by_id.filter || new.filter, last = greatest(by_id.last, new.last)
	FROM (SELECT bloom_agg(email, 100000, 0.01) AS filter, max(id) AS last FROM users WHERE id > (SELECT last FROM by_id)) new};
append_to_file("$folder/refresh_by_id.sql", $refresh_by_id);
my $answers = q{SELECT count(*), count(*) FILTER (WHERE NOT bloom_contains((SELECT filter FROM filters), email)),
	count(*) FILTER (WHERE NOT bloom_contains((SELECT filter FROM by_id), email)) FROM users;};
is( ask($node, qq{
		BEGIN;
		INSERT INTO users (email) VALUES ('late\@example.com');
		$other -c "INSERT INTO users (email) VALUES ('quick\@example.com')" -f '$folder/refresh.sql' -f '$folder/refresh_by_id.sql'
		SAVEPOINT s; INSERT INTO users (email) VALUES ('later\@example.com'); RELEASE s;
		$other -c "INSERT INTO users (email) VALUES ('quicker\@example.com')" -f '$folder/refresh.sql' -f '$folder/refresh_by_id.sql'
		COMMIT;
		SELECT is_taken('quicker\@example.com');
		$answers
		$current{refresh}; $refresh_by_id;
		$answers}),
	"t\n50004|2|2\n50004|0|2", 'a row that is committed late is found after the next refresh; cut by number it never is');
is(ask($node, q{SELECT count(*) FILTER (WHERE NOT is_taken(email)) FROM users}), 0, 'no user is denied');
is(ask($node, q{SELECT count(*) FILTER (WHERE is_taken('nobody' || n || '@example.com')) FROM generate_series(1, 20000) n}),
	0, 'and no other address is taken for one');

# Nothing new: the row of the filter is not written.
is(ask($node, "$current{refresh}; SELECT xmin, ctid FROM filters; $current{refresh}; SELECT xmin, ctid FROM filters")
	=~ /\A(.+)\n\1\z/, 1, 'a refresh without new rows writes nothing');

# Rows that bring a number of their own, and addresses that change. Numbers from below
# the cut are what would be missed.
sub denied_after
{
	my ($who) = @_;
	return ask($node, qq{
		COPY users (email, added_by) FROM STDIN;
$who.copied\@example.com	3
\\.
		SET session_replication_role = replica;
		INSERT INTO users (email, added_by) VALUES ('$who.replicated\@example.com', '3');
		RESET session_replication_role;
		UPDATE users SET email = '$who.changed\@example.com' WHERE email = (SELECT min(email) FROM users WHERE email LIKE 'user%');
		$current{refresh};
		SELECT count(*) FROM users WHERE email LIKE '$who.%' AND NOT bloom_contains((SELECT filter FROM filters), email)});
}
is(denied_after('ann'), 0, 'a number from elsewhere and a changed address are found');
ask($node, 'ALTER TABLE users DISABLE TRIGGER set_added_by');
is(denied_after('ben'), 3, 'without the trigger none of them is');
ask($node, 'ALTER TABLE users ENABLE TRIGGER set_added_by');
is(denied_after('cem'), 1, 'and if it is not fired always, not what is replicated');
ask($node, 'ALTER TABLE users ENABLE ALWAYS TRIGGER set_added_by');
ask($node, "$current{restored}; $current{refresh}");
is(ask($node, $denied), 0, 'a refresh from 0 finds them all');

# Restored from a cluster with higher numbers: what comes then is taken again.
is(ask($node, qq{
		SET session_replication_role = replica;
		ALTER TABLE users DISABLE TRIGGER set_added_by;
		UPDATE users SET added_by = '1000000000' WHERE email LIKE 'user1%';
		ALTER TABLE users ENABLE ALWAYS TRIGGER set_added_by;
		RESET session_replication_role;
		UPDATE filters SET complete_before = '1000000000', filter = bloom_empty(100000, 0.01);
		$current{restored};
		INSERT INTO users (email) VALUES ('restored\@example.com');
		$current{refresh}; $denied
		SELECT count(*) FROM users WHERE added_by > pg_current_xact_id()}), "0\n0", 'nor is any denied after a restore');

# Clients insert and refresh at random, in transactions that take a while.
append_to_file("$folder/insert.sql", q{
	\set n random(1, 1000000000)
	BEGIN;
	INSERT INTO users (email) VALUES ('client' || :client_id || '.' || :n || '@example.com') ON CONFLICT DO NOTHING;
	\sleep 3 ms
	END;
});
$node->command_ok([ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', 60, '-f', "$folder/insert.sql\@4", '-f',
		"$folder/refresh.sql\@1", $node->connstr('postgres') ], 'clients insert and refresh');
is(ask($node, "$current{refresh}; $denied SELECT count(*) > 50200 FROM users"), "0\nt", 'all their rows are found');

# When it is full.
my ($out, $err) = ('', '');
my $state = 'SELECT capacity, saturated FROM filters, bloom_info(filter)';
$node->psql('postgres', qq{INSERT INTO users (email) SELECT 'more' || n || '\@example.com' FROM generate_series(1, 120000) n;
	$current{refresh}; $state; $denied $current{rebuild}; $state; $denied}, stdout => \$out, stderr => \$err);
is($out, "100000|t\n0\n200000|f\n0", 'saturated, and rebuilt');
is(() = $err =~ /WARNING:  bloom filter has a false positive rate/g, 2,
	'with a warning each for the delta and the union');

# ---------------------------------------------------------------------------
# Unique across partitions. 8 clients insert the same references in the same order;
# a pause before the insert makes sure that they meet.

my %partitions = recipe('partitions');
my ($function) = $partitions{setup} =~ /(CREATE FUNCTION insert_order.*)\z/s;
sub duplicates_after
{
	my ($name, $change) = @_;
	my $slowed = $function =~ s/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/r
	  =~ s/(?=INSERT INTO orders)/PERFORM pg_sleep(0.002);\n  /r;
	ask($node, $change->($slowed));
	my $file = "$folder/$name.sql";
	# Some are new, and some are in closed partitions.
	append_to_file($file, qq{
		SELECT insert_order(date '2025-03-01' + :client_id, '$name ' || n) FROM (SELECT count(*) AS n FROM done
			WHERE client = :client_id) t;
		INSERT INTO done VALUES (:client_id);
		SELECT insert_order('2025-03-09', 'order ' || 100 * :client_id + count(*)) FROM done WHERE client = :client_id;
	});
	ask($node, 'DROP TABLE IF EXISTS done; CREATE TABLE done (client int)');
	$node->command_ok([ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', 50, '-f', $file, $node->connstr('postgres') ],
		"8 clients insert the same references: $name");
	return ask($node, q{SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM orders GROUP BY reference) t});
}

is(duplicates_after('locked', sub { return $_[0] }), 0, 'no reference is there twice');
is(ask($node, q{SELECT count(*) FROM orders WHERE reference LIKE 'locked %'}), 50, 'and each is there');
ask($node, $partitions{close});
is(duplicates_after('closed', sub { return $_[0] }), 0, 'nor after a partition was closed');
is(ask($node, q{SELECT before, (SELECT count(*) FROM orders WHERE day < before AND NOT bloom_contains(filter, reference))
	FROM closed_orders}), '2025-03-01|0', 'the filter has all of the closed partitions');
fails_with($node, q{SELECT insert_order('2025-02-03', 'too late')}, 'P0001', 'partitions before 2025-03-01 are closed',
	'nothing goes into a closed partition');
my $unlocked = duplicates_after('unlocked', sub { return $_[0] =~ s/PERFORM pg_advisory_xact_lock.*?;//r });
cmp_ok($unlocked, '>', 0, "without the lock there are duplicates ($unlocked)");

# A partition is closed under inserting clients.
ask($node, $function =~ s/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/r);
ask($node, q{TRUNCATE orders, closed_orders;
	INSERT INTO closed_orders VALUES ('2025-01-01', bloom_empty(100000, 0.001))});
my $closing = join '', map { my $to = $_; $partitions{close} =~ s/2025-03-01/$to/gr } '2025-02-01', '2025-03-01';
append_to_file("$folder/february.sql", qq{
	\\set n random(1, 3000)
	SELECT insert_order(greatest(before, date '2025-01-01' + :client_id * 7 % 90), 'order ' || :n) FROM closed_orders;
});
append_to_file("$folder/close.sql", $closing);
my $pgbench = join ' ', 'pgbench', '-n', '-c', 6, '-j', 2, '-t', 300, '-f', "'$folder/february.sql'",
  "'" . $node->connstr('postgres') . "'";
my $psql = "psql -X -q -v ON_ERROR_STOP=1 -d '" . $node->connstr('postgres') . "'";
$node->command_ok([ 'sh', '-c', "$pgbench & p=\$!; sleep 0.3; $psql -f '$folder/close.sql'; c=\$?; wait \$p; exit \$c" ],
	'partitions are closed while clients insert');
is(ask($node, q{SELECT (SELECT count(*) - count(DISTINCT reference) FROM orders),
		(SELECT count(*) FROM orders WHERE day < before AND NOT bloom_contains(filter, reference)), before
		FROM closed_orders}), '0|0|2025-03-01', 'no duplicate, and none that the filter denies');

# ---------------------------------------------------------------------------
# New rows of a bulk load: the index is probed, whatever memory there is.

my %load = recipe('load');
ask($node, 'ANALYZE known, loaded');
my $plan = ask($node, "SET work_mem = '256MB'; EXPLAIN (COSTS OFF) $load{insert}");
like($plan, qr/^(?!.*hashed).*Index Only Scan using known_pkey/s, 'a bulk load probes the index');
like(ask($node, "SET work_mem = '256MB'; EXPLAIN (COSTS OFF) " . $load{insert} =~ s/ OFFSET 0//r),
	qr/hashed SubPlan/, 'which it would not by itself');
ask($node, $load{insert});
ask($node, $load{delta});
is(ask($node, 'SELECT count(*), count(*) FILTER (WHERE NOT bloom_contains((SELECT filter FROM known_filter), email)) FROM known'),
	'59000|0', 'all rows are in, and in the filter');

# ---------------------------------------------------------------------------
# Counting how often. 6 clients add the same batch to one row, which is not there at
# first, then NULL, then a sketch: to the byte what one aggregate gives.

my %counts = recipe('counts');
append_to_file("$folder/upsert.sql", $counts{upsert});
my @upserts = ('pgbench', '-n', '-c', 6, '-j', 2, '-t', 20, '-f', "$folder/upsert.sql", $node->connstr('postgres'));
my $stored = q{SELECT accounts = (SELECT cms_agg('user' || n % 50, 120) FROM generate_series(1, 500) AS n),
	cms_total(accounts), cms_count(accounts, 'user7') FROM request_counts WHERE day = '2025-03-17'};
$node->command_ok(\@upserts, 'clients add to a row that is not there yet');
is(ask($node, $stored), 't|60000|1200', 'every batch is counted once');
ask($node, q{UPDATE request_counts SET accounts = NULL WHERE day = '2025-03-17'});
$node->command_ok(\@upserts, 'and to NULL');
is(ask($node, $stored), 't|60000|1200', 'likewise');
ask($node, $counts{upsert} =~ s/coalesce\(.*\|\| //r);
is(ask($node, q{SELECT cms_total(accounts) FROM request_counts WHERE day = '2025-03-17'}), 500,
	'a load that replaces its sketch may be run again');

$node->stop;
done_testing();
