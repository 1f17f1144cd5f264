# topk_count with a stored sketch: many look-ups in one query read it once, and none ever
# answers from a sketch that has changed.

use strict;
use warnings;

use BloomsketchServer;
use Test::More;

my $node = start_server('topk_lookup', 'jit = off', 'autovacuum = off', 'max_parallel_workers_per_gather = 0');

ask($node, q{
	CREATE TABLE stored AS SELECT topk_agg('book ' || book, 100) AS t
		FROM generate_series(1, 20000) book, generate_series(1, 170000 / book);
	CREATE TABLE names AS SELECT 'book ' || n AS name FROM generate_series(1, 20000) n;
	VACUUM ANALYZE stored; VACUUM ANALYZE names});

my $whole = pages_read($node, 'SELECT md5(t::bytea) FROM stored');
my $of_names = pages_read($node, 'SELECT count(*) FROM names');
for my $query ('SELECT sum(topk_count((SELECT t FROM stored), name)) FROM names', 'SELECT count(*) FROM names, stored WHERE topk_count(t, name) > 2000')
{
	my $pages = pages_read($node, $query) - $of_names;
	cmp_ok($pages, '<=', 3 * $whole, "20,000 look-ups read the sketch once ($pages pages, $whole for the whole): $query");
}
is( ask($node, q{
		BEGIN;
		SELECT sum(topk_count((SELECT t FROM stored), name) / 1000000) FROM names WHERE name IN ('book 1', 'book 99999');
		UPDATE stored SET t = topk_add(t, 'book 1', 5000000);
		SELECT sum(topk_count((SELECT t FROM stored), name) / 1000000) FROM names WHERE name IN ('book 1', 'book 99999');
		SAVEPOINT s; UPDATE stored SET t = topk_add(t, 'book 1', 2000000);
		SELECT sum(topk_count((SELECT t FROM stored), name) / 1000000) FROM names WHERE name IN ('book 1', 'book 99999');
		ROLLBACK TO s;
		SELECT sum(topk_count((SELECT t FROM stored), name) / 1000000) FROM names WHERE name IN ('book 1', 'book 99999');
		COMMIT}),
	"0\n5\n7\n5", 'and answer from the sketch as it is');

$node->stop;
done_testing();
