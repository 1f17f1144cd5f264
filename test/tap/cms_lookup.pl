# cms_count with a stored sketch: many look-ups in one query read it once, and none
# ever answers from a sketch that has changed.

use strict;
use warnings;

use BloomsketchServer;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('cms_lookup', 'jit = off', 'autovacuum = off', 'max_parallel_workers_per_gather = 0',
	'shared_buffers = 64MB');

# One sketch of some 200 kB, and its like of the default size; neither is in line.
ask($node, q{
	CREATE TABLE sketches (id int PRIMARY KEY, c cms);
	INSERT INTO sketches SELECT 1, cms_agg('user' || n % 60000, 0.00005, 0.01) FROM generate_series(1, 200000) n;
	CREATE TABLE daily AS SELECT cms_agg('user' || n % 20000) AS c FROM generate_series(1, 50000) n;
	CREATE TABLE users AS SELECT 'user' || n AS name FROM generate_series(1, 100000) n;
	CREATE FUNCTION times(sketch cms, value text) RETURNS bigint LANGUAGE sql AS 'SELECT cms_count(sketch, value)';
	VACUUM ANALYZE});

# ---------------------------------------------------------------------------
# Pages.

my $of_users = pages_read($node, 'SELECT count(*) FROM users');
for my $table ('sketches', 'daily')
{
	my $whole = pages_read($node, "SELECT md5(c::bytea) FROM $table");
	cmp_ok($whole, '>=', $table eq 'daily' ? 4 : 20, "$table: reading the sketch whole takes $whole pages");
	my %many = (
		'a scalar sub-query' => "SELECT sum(cms_count((SELECT c FROM $table), name)) FROM users",
		'a condition' => "SELECT count(*) FROM users WHERE cms_count((SELECT c FROM $table), name) > 3",
		'a join' => "SELECT sum(cms_count(c, name)) FROM users, $table",
		'a CTE' => "WITH t AS MATERIALIZED (SELECT c FROM $table) SELECT sum(cms_count(c, name)) FROM users, t",
		'an SQL function' => "SELECT sum(times(c, name)) FROM users, $table",
		'totals too' => "SELECT count(*) FROM users, $table WHERE cms_count(c, name) > 0.001 * cms_total(c)");
	for my $what (sort keys %many)
	{
		my $pages = pages_read($node, $many{$what}) - $of_users;
		cmp_ok($pages, '<=', 3 * $whole, "$table: 100,000 look-ups read the sketch once ($pages pages): $what");
	}
}
is( ask($node, q{
		SELECT count(*) FILTER (WHERE cms_count((SELECT c FROM sketches), name) < n), count(*)
		FROM (SELECT 'user' || n % 60000 AS name, count(*) AS n FROM generate_series(1, 200000) n GROUP BY 1) t}),
	'0|60000', 'no count is under the truth');
is( ask($node, q{
		SELECT count(*) FROM users, sketches
		WHERE cms_count((SELECT c FROM sketches), name) <> cms_count((c::bytea || '')::cms, name) AND name LIKE '%77'}),
	0, 'a kept sketch counts as one that is not');

# Kept for all calls of a transaction, once: sketches may take turns.
ask($node, q{
	CREATE TABLE copies AS SELECT copy, cms_add(c, 'copy', copy * 1000000) AS c FROM sketches, generate_series(1, 5) copy;
	VACUUM ANALYZE copies});
my $whole = pages_read($node, 'SELECT md5(c::bytea) FROM sketches');
my $turns = q{SELECT count(*) FROM (SELECT name FROM users LIMIT 2000) u, copies WHERE cms_count(c, name) > 3 OFFSET 0};
my $taking_turns = pages_read($node, $turns) - $of_users;
cmp_ok($taking_turns, '<=', 3 * 5 * $whole, "each of 5 sketches is read once ($taking_turns pages)");
is( ask($node, q{SELECT bool_and(cms_count(c, 'copy') / 1000000 = copy), count(*)
		FROM (SELECT * FROM copies, generate_series(1, 200) OFFSET 0) t}),
	't|1000', 'and each counts its own');

# ---------------------------------------------------------------------------
# Never stale. In one session; what other sessions do, `other` does. What was not added
# may read a few all the same, so additions are of thousands.

my $other = "\\! psql -X -q -d '" . $node->connstr('postgres') . "' -c ";
my $sixty = q{SELECT sum(cms_count((SELECT c FROM sketches), $1) / 1000) FROM generate_series(1, 60)};
ask($node, 'CREATE TABLE origin AS SELECT c FROM sketches');

sub fresh_sketch
{
	ask($node, 'UPDATE sketches SET c = origin.c FROM origin');
	return;
}

is( ask($node, qq{
		PREPARE one(text) AS SELECT cms_count(c, \$1) / 1000 FROM sketches WHERE id = 1;
		PREPARE sixty(text) AS $sixty;
		EXECUTE one('a'); EXECUTE sixty('a');
		UPDATE sketches SET c = cms_add(c, 'a', 1000);
		EXECUTE one('a'); EXECUTE sixty('a');
		$other "UPDATE sketches SET c = cms_add(c, 'b', 5000)"
		EXECUTE one('b'); EXECUTE sixty('b');
		$other "UPDATE sketches SET c = origin.c FROM origin" -c "VACUUM sketches"
		EXECUTE one('a'); EXECUTE sixty('b');
		$other "UPDATE sketches SET c = cms_add(c, 'c', 2000)" -c "VACUUM FULL sketches"
		EXECUTE one('c'); EXECUTE sixty('c')}),
	join("\n", 0, 0, 1, 60, 5, 300, 0, 0, 2, 120), 'updated between statements, here and elsewhere, vacuumed');

fresh_sketch();
is( ask($node, qq{
		PREPARE sixty(text) AS $sixty;
		BEGIN; EXECUTE sixty('a');
		UPDATE sketches SET c = cms_add(c, 'a', 1000); EXECUTE sixty('a');
		UPDATE sketches SET c = cms_add(c, 'a', 1000); EXECUTE sixty('a');
		$other "INSERT INTO sketches VALUES (2, NULL)" -c "DELETE FROM sketches WHERE id = 2"
		SAVEPOINT s; UPDATE sketches SET c = cms_add(c, 'b', 1000); EXECUTE sixty('b');
		ROLLBACK TO s; EXECUTE sixty('b'); EXECUTE sixty('a');
		ROLLBACK; EXECUTE sixty('a');
		BEGIN ISOLATION LEVEL REPEATABLE READ; EXECUTE sixty('c');
		$other "UPDATE sketches SET c = cms_add(c, 'c', 1000)" -c "VACUUM sketches"
		EXECUTE sixty('c'); COMMIT; EXECUTE sixty('c')}),
	join("\n", 0, 60, 120, 60, 0, 120, 0, 0, 0, 60), 'updated within a transaction, at both levels of isolation');

# A cursor goes on with the sketch of its snapshot.
fresh_sketch();
is( ask($node, qq{
		BEGIN; DECLARE cur CURSOR FOR SELECT cms_count(c, 'a') / 1000 FROM sketches, generate_series(1, 200) g;
		MOVE 100 IN cur;
		$other "UPDATE sketches SET c = cms_add(c, 'a', 1000)" -c "VACUUM sketches"
		FETCH 1 FROM cur; MOVE 90 IN cur; FETCH 1 FROM cur; SELECT cms_count(c, 'a') / 1000 FROM sketches; COMMIT}),
	join("\n", 0, 0, 1), 'updated under a cursor');

# While one statement counts, a function that it calls adds. The statement sees what
# was there when it began, and the function what it has added.
fresh_sketch();
ask($node, q{
	CREATE FUNCTION add_and_ask(value text) RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		UPDATE sketches SET c = cms_add(c, value, 1000000);
		RETURN cms_count((SELECT c FROM sketches), value);
	END $$});
is( ask($node, q{
		SELECT bool_and(before < 1000000), bool_and(added >= 1000000)
		FROM (SELECT cms_count((SELECT c FROM sketches), 'v' || g) AS before, add_and_ask('v' || g) AS added
			FROM generate_series(1, 50) g) t;
		SELECT bool_and(cms_count(c, 'v' || g) >= 1000000), cms_total(c) FROM sketches, generate_series(1, 50) g GROUP BY c}),
	"t|t\nt|50200000", 'updated within a statement');

# PL/pgSQL keeps the state of an expression for as long as the transaction: with the
# sketch in a variable, which is the stored value's pointer, and without.
for my $in ('a function', 'a procedure that commits')
{
	my ($kind, $end) = $in =~ /commits/ ? ('PROCEDURE', 'COMMIT;') : ('FUNCTION', '');
	my $returns = $end ? '' : 'RETURNS void';
	fresh_sketch();
	ask($node, qq{
		CREATE $kind looped() $returns LANGUAGE plpgsql AS \$\$
		DECLARE
			v cms;
			kept cms;
			wrong text := '';
		BEGIN
			kept := (SELECT c FROM origin);
			FOR i IN 1..15 LOOP
				UPDATE sketches SET c = cms_add(c, 'w' || i, 1000000);
				$end
				v := (SELECT c FROM sketches);
				FOR j IN 1..30 LOOP
					IF (cms_count(v, 'w' || j) >= 1000000) <> (j <= i) THEN wrong := wrong || format(' variable %s/%s', j, i); END IF;
					IF (cms_count((SELECT c FROM sketches), 'w' || j) >= 1000000) <> (j <= i)
						THEN wrong := wrong || format(' query %s/%s', j, i); END IF;
					IF cms_count(kept, 'w' || j) >= 1000000 OR cms_count(kept, 'user' || j) < 3
						THEN wrong := wrong || format(' kept %s/%s', j, i); END IF;
				END LOOP;
				IF cms_total((SELECT c FROM sketches)) <> 200000 + i * 1000000 OR cms_total(v) <> 200000 + i * 1000000
					THEN wrong := wrong || format(' total %s', i); END IF;
			END LOOP;
			RAISE NOTICE 'wrong:%', wrong;
		END \$\$});
	my ($out, $err) = ('', '');
	$node->psql('postgres', ($end ? 'CALL looped()' : 'SELECT looped()'), stdout => \$out, stderr => \$err);
	like($err, qr/NOTICE:  wrong:$/m, "updated in a loop in PL/pgSQL, in $in");
	ask($node, "DROP $kind looped");
}

$node->stop;
done_testing();
