# Who installs and uses the extension, and what others in the database can do to
# it: no superuser is needed, and look-alikes in the search path change nothing.

use strict;
use warnings;

use BloomsketchServer;
use Test::More;

my $node = start_server('access');

sub ask_as
{
	my ($role, $sql, $database) = @_;
	return $node->safe_psql($database, "SET SESSION AUTHORIZATION $role; $sql");
}

# ---------------------------------------------------------------------------
# Trusted: CREATE on the database is enough, and it is needed.

ask($node, q{
	CREATE ROLE owner LOGIN;
	CREATE ROLE stranger LOGIN;
	CREATE DATABASE owned;
	CREATE DATABASE hostile;
	GRANT CREATE ON DATABASE owned TO owner;
	GRANT CREATE ON DATABASE hostile TO owner});
fails_with($node, 'SET SESSION AUTHORIZATION stranger; CREATE EXTENSION bloomsketch', '42501', 'permission denied',
	'a role without CREATE on the database cannot install it', 'owned');
is(ask_as('owner', q{CREATE EXTENSION bloomsketch; SELECT usesuper FROM pg_user WHERE usename = current_user}, 'owned'),
	'f', 'a role with CREATE on the database installs it');
is(ask($node, q{SELECT extowner::regrole FROM pg_extension WHERE extname = 'bloomsketch'}, 'owned'),
	'owner', 'and owns it');
is( ask_as('stranger', q{
	CREATE TEMP TABLE mine AS SELECT hll_agg(i) AS h FROM generate_series(1, 20) i;
	UPDATE mine SET h = hll_add(h, 21) || (SELECT hll_agg(i, 14) FROM generate_series(1, 30) i);
	SELECT #h, hll_count(h::text::hll), (hll_info(h)).value_type, h = h::bytea::hll FROM mine}, 'owned'),
	'30|30|integer|t', 'anybody uses it');
is(ask_as('owner', 'DROP EXTENSION bloomsketch; SELECT count(*) FROM pg_extension', 'owned'), 1, 'its owner drops it');

# ---------------------------------------------------------------------------
# Look-alikes are there before it is installed, in the very schema that it goes
# to and in front in the search path.

ask_as('owner', q{
	CREATE SCHEMA evil;
	CREATE FUNCTION evil.bytea_cmp(bytea, bytea) RETURNS int LANGUAGE sql AS 'SELECT 0';
	CREATE FUNCTION evil.shout(int, int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'captured'; END $$;
	CREATE OPERATOR evil.+ (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.shout);
	CREATE DOMAIN evil.bigint AS pg_catalog.text;
	CREATE DOMAIN evil.text AS pg_catalog.int4;
	CREATE DOMAIN evil.bytea AS pg_catalog.int4}, 'hostile');
ask($node, q{CREATE FUNCTION evil.eqsel(internal, oid, internal, integer) RETURNS float8
	LANGUAGE internal AS 'neqsel'}, 'hostile');
ask_as('owner', 'SET search_path = evil, pg_catalog, public; CREATE EXTENSION bloomsketch SCHEMA evil', 'hostile');

my $members = q{(SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomsketch'))};
is( ask($node, qq{
	SELECT pg_describe_object(d.refclassid, d.refobjid, 0) FROM pg_depend d JOIN $members m USING (classid, objid)
	WHERE d.deptype <> 'e' AND (d.refclassid, d.refobjid) NOT IN (SELECT classid, objid FROM $members m)
		AND d.refclassid <> 'pg_namespace'::regclass}, 'hostile'),
	'', 'it depends on nothing but its own objects and the system');
is( ask($node, qq{
	SELECT count(*) FROM pg_operator o JOIN $members m ON o.oid = m.objid
	WHERE oprname = '=' AND oprrest = 'pg_catalog.eqsel'::regproc
		AND oprjoin = 'pg_catalog.eqjoinsel'::regproc}, 'hostile'),
	6, 'its six = use the estimators of the system');

# Answers, taken without look-alikes of its own names, and with them in front of
# everything.
my $answers = q{
	SELECT evil.hll_agg(i), evil.hll_agg(i::pg_catalog.text, 10, 3), evil.approx_count_distinct(i),
		evil.sketch_hash(i) FROM pg_catalog.generate_series(1, 3) i GROUP BY i;
	SELECT evil.hll_union(h), pg_catalog.count(DISTINCT h), pg_catalog.max(evil.hll_count(n::evil.hll)) FROM sketches;
	SELECT evil.hll_union(h, h), evil.hll_reduce(h, 6), evil.hll_add(h, 'x'::pg_catalog.text), (evil.hll_info(h)).*
		FROM sketches ORDER BY n;
	SELECT n, pg_catalog.count(*) FROM sketches GROUP BY n, h ORDER BY n, h;
	SELECT evil.cms_agg(i), evil.cms_agg(i::pg_catalog.text, i, 0.1, 0.1, 3), evil.cms_count(evil.cms_agg(i, 0.1, 0.1), 2)
	FROM pg_catalog.generate_series(1, 3) i GROUP BY i;
	SELECT evil.cms_union(c), evil.cms_union(c, c), evil.cms_add(c, 5), (evil.cms_info(c)).*, evil.cms_inner_product(c, c) FROM frequencies GROUP BY c ORDER BY c;
	SELECT n, evil.cms_union(c) OVER (ORDER BY n ROWS 1 PRECEDING) FROM frequencies ORDER BY n;
	SELECT c, pg_catalog.count(*) FROM frequencies GROUP BY c ORDER BY c;
	SELECT evil.topk_agg(i, 5), evil.topk_agg(i::pg_catalog.text, 5, i, 3), evil.topk_count(evil.topk_agg(i, 5), 2),
		evil.topk_agg(pg_catalog.now() - pg_catalog.now(), 5), evil.topk_agg(ARRAY[1.5, i], 5)
	FROM pg_catalog.generate_series(1, 3) i GROUP BY i;
	SELECT evil.topk_union(t), evil.topk_union(t, t), evil.topk_add(t, 5), (evil.topk_info(t)).*, t::pg_catalog.bytea FROM tops GROUP BY t ORDER BY t;
	SELECT n, i.* FROM tops, evil.topk_items(t, 2) i ORDER BY n, rank;
	SELECT t, pg_catalog.count(*) FROM tops GROUP BY t ORDER BY t};
ask($node, q{
	CREATE TABLE sketches AS SELECT h, h::bytea AS n FROM (
		SELECT evil.hll_agg('v' || i, 10) AS h FROM generate_series(1, 600) i GROUP BY ROUND(LOG(i))) groups;
	CREATE TABLE frequencies AS SELECT i % 3 AS n, evil.cms_agg(i, 0.1, 0.1) AS c FROM generate_series(1, 100) i GROUP BY i % 3;
	CREATE TABLE tops AS SELECT i % 3 AS n, evil.topk_agg(i % 7, 5) AS t FROM generate_series(1, 100) i GROUP BY i % 3;
	GRANT SELECT ON sketches, frequencies, tops TO owner}, 'hostile');
my $expected = ask($node, "SET search_path = public; $answers", 'hostile');
like($expected, qr/dense.*sparse|sparse.*dense/s, 'there are answers');
ask_as('owner', q{
	CREATE SCHEMA front;
	CREATE FUNCTION front.fool(evil.hll, evil.hll) RETURNS evil.hll LANGUAGE sql AS 'SELECT evil.hll_empty()';
	CREATE FUNCTION front.lie(evil.hll, evil.hll) RETURNS boolean LANGUAGE sql AS 'SELECT true';
	CREATE FUNCTION front.hll_cmp(evil.hll, evil.hll) RETURNS int LANGUAGE sql AS 'SELECT 0';
	CREATE FUNCTION front.hll_union_step(evil.hll, evil.hll) RETURNS evil.hll LANGUAGE sql AS 'SELECT evil.hll_empty()';
	CREATE FUNCTION front.hll_agg_step(evil.hll, text) RETURNS evil.hll LANGUAGE sql AS 'SELECT evil.hll_empty()';
	CREATE FUNCTION front.hll_agg_final(evil.hll) RETURNS evil.hll LANGUAGE sql AS 'SELECT evil.hll_empty()';
	CREATE FUNCTION front.cms_lie(evil.cms, evil.cms) RETURNS boolean LANGUAGE sql AS 'SELECT true';
	CREATE FUNCTION front.cms_cmp(evil.cms, evil.cms) RETURNS int LANGUAGE sql AS 'SELECT 0';
	CREATE FUNCTION front.cms_union_step(evil.cms, evil.cms) RETURNS evil.cms LANGUAGE sql AS 'SELECT evil.cms_empty()';
	CREATE FUNCTION front.cms_agg_final(evil.cms) RETURNS evil.cms LANGUAGE sql AS 'SELECT evil.cms_empty()';
	CREATE OPERATOR front.= (LEFTARG = evil.cms, RIGHTARG = evil.cms, FUNCTION = front.cms_lie);
	CREATE OPERATOR front.< (LEFTARG = evil.cms, RIGHTARG = evil.cms, FUNCTION = front.cms_lie);
	CREATE FUNCTION front.topk_lie(evil.topk, evil.topk) RETURNS boolean LANGUAGE sql AS 'SELECT true';
	CREATE FUNCTION front.topk_cmp(evil.topk, evil.topk) RETURNS int LANGUAGE sql AS 'SELECT 0';
	CREATE FUNCTION front.topk_union_step(evil.topk, evil.topk) RETURNS evil.topk LANGUAGE sql AS 'SELECT evil.topk_empty(1)';
	CREATE FUNCTION front.topk_agg_final(evil.topk) RETURNS evil.topk LANGUAGE sql AS 'SELECT evil.topk_empty(1)';
	CREATE FUNCTION front.topk_send(evil.topk) RETURNS bytea LANGUAGE sql AS 'SELECT pg_catalog.byteain(''x'')';
	CREATE FUNCTION front.interval_out(interval) RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
	CREATE FUNCTION front.array_out(anyarray) RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
	CREATE OPERATOR front.= (LEFTARG = evil.topk, RIGHTARG = evil.topk, FUNCTION = front.topk_lie);
	CREATE OPERATOR front.< (LEFTARG = evil.topk, RIGHTARG = evil.topk, FUNCTION = front.topk_lie);
	CREATE OPERATOR front.|| (LEFTARG = evil.hll, RIGHTARG = evil.hll, FUNCTION = front.fool);
	CREATE OPERATOR front.= (LEFTARG = evil.hll, RIGHTARG = evil.hll, FUNCTION = front.lie);
	CREATE OPERATOR front.< (LEFTARG = evil.hll, RIGHTARG = evil.hll, FUNCTION = front.lie)}, 'hostile');
my $in_front = 'SET search_path = front, evil, pg_catalog, public';
is(ask_as('owner', "$in_front; $answers", 'hostile'), $expected,
	'look-alikes in front in the search path change no answer');
is(ask_as('owner', "$in_front; SET enable_hashagg = off; $answers", 'hostile'), $expected, 'nor where rows are sorted');

$node->stop;
done_testing();
