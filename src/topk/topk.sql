-- topk: which are the most frequent (Space-Saving)

-- A sketch that is being built holds its values in a form of its own, which never
-- leaves the server: text, binary and bytea are all of the form at rest.

CREATE TYPE topk;

CREATE FUNCTION topk_in(cstring) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION topk_out(topk) RETURNS cstring
	AS 'MODULE_PATHNAME', 'topk_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION topk_recv(internal) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION topk_send(topk) RETURNS bytea
	AS 'MODULE_PATHNAME', 'topk_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION topk_in(cstring) IS 'I/O';
COMMENT ON FUNCTION topk_out(topk) IS 'I/O';
COMMENT ON FUNCTION topk_recv(internal) IS 'I/O';
COMMENT ON FUNCTION topk_send(topk) IS 'I/O';

CREATE TYPE topk (
	INPUT = topk_in,
	OUTPUT = topk_out,
	RECEIVE = topk_recv,
	SEND = topk_send,
	STORAGE = external
);
COMMENT ON TYPE topk IS 'Space-Saving sketch: the most frequent values, with bounds on how often each was added';

-- Building and changing

CREATE FUNCTION topk_empty(k integer, seed bigint DEFAULT 0) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION topk_empty(integer, bigint) IS
	'a sketch over no values, for the k most frequent ones, k from 1 to 10000, with a seed';

--{ SCALAR
CREATE FUNCTION topk_add(sketch topk, value @T@) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_add(topk, @T@) IS
	'the sketch with one occurrence of a value more';
CREATE FUNCTION topk_add(sketch topk, value @T@, weight bigint) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_add(topk, @T@, bigint) IS
	'the sketch with a value of this weight, 0 or more, added';
--}

CREATE FUNCTION topk_union(a topk, b topk) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION topk_union(topk, topk) IS
	'the sketch with the values of both, which have equal parameters';

-- Asking

CREATE FUNCTION topk_items(sketch topk,
	OUT rank integer, OUT item text, OUT count bigint, OUT error bigint, OUT guaranteed boolean) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'topk_items' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION topk_items(topk) IS
	'the k most frequent values: how often each was added is count - error at least and count at most';
CREATE FUNCTION topk_items(sketch topk, "limit" integer,
	OUT rank integer, OUT item text, OUT count bigint, OUT error bigint, OUT guaranteed boolean) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'topk_items' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION topk_items(topk, integer) IS
	'the most frequent values, so many: how often each was added is count - error at least and count at most';

--{ SCALAR
CREATE FUNCTION topk_count(sketch topk, value @T@) RETURNS bigint
	AS 'MODULE_PATHNAME', 'topk_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION topk_count(topk, @T@) IS
	'the most that the weights of a value can sum up to, never under the truth';
--}

CREATE FUNCTION topk_info(sketch topk,
	OUT k integer, OUT counters integer, OUT counters_used integer, OUT total bigint, OUT max_error bigint,
	OUT bytes bigint, OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'topk_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION topk_info(topk) IS
	'parameters, total, the most that a value can be missed or overcounted by, size, kind of values';

-- Aggregates. The state of those over values is a sketch in its working form,
-- changed in place; that of unions is a sketch at rest. SSPACE, between the 256 bytes of
-- a few values and the 60 kB of a thousand, keeps work_mem honest for groups that become
-- large.

CREATE FUNCTION topk_union_step(state topk, sketch topk) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_union_step(topk, topk) IS 'aggregate transition and combine function';
CREATE FUNCTION topk_agg_final(state topk) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_agg_final(topk) IS 'aggregate final function';
CREATE FUNCTION topk_union_final(state topk) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION topk_union_final(topk) IS 'aggregate final function';

CREATE AGGREGATE topk_union(sketch topk) (
	SFUNC = topk_union_step, STYPE = topk, SSPACE = 16384,
	FINALFUNC = topk_union_final, COMBINEFUNC = topk_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_union(topk) IS
	'the sketch with the values of all; NULL over no sketches';

--{ AGGREGATE
CREATE FUNCTION topk_agg_step(state topk, value @T@, k integer) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_agg_step(topk, @T@, integer) IS 'aggregate transition function';
CREATE FUNCTION topk_agg_step(state topk, value @T@, k integer, weight bigint) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_agg_step(topk, @T@, integer, bigint) IS 'aggregate transition function';
CREATE AGGREGATE topk_agg(value @T@, k integer) (
	SFUNC = topk_agg_step, STYPE = topk, SSPACE = 16384,
	FINALFUNC = topk_agg_final, COMBINEFUNC = topk_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(@T@, integer) IS
	'sketch of the values, each counted once, for the k most frequent ones';
CREATE AGGREGATE topk_agg(value @T@, k integer, weight bigint) (
	SFUNC = topk_agg_step, STYPE = topk, SSPACE = 16384,
	FINALFUNC = topk_agg_final, COMBINEFUNC = topk_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(@T@, integer, bigint) IS
	'sketch of the values and their weights, for the k of the largest weights';
--}

--{ SCALAR
CREATE FUNCTION topk_agg_step(state topk, value @T@, k integer, weight bigint, seed bigint) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION topk_agg_step(topk, @T@, integer, bigint, bigint) IS 'aggregate transition function';
CREATE AGGREGATE topk_agg(value @T@, k integer, weight bigint, seed bigint) (
	SFUNC = topk_agg_step, STYPE = topk, SSPACE = 16384,
	FINALFUNC = topk_agg_final, COMBINEFUNC = topk_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(@T@, integer, bigint, bigint) IS
	'sketch of the values and their weights, with a seed for the hash';
--}

-- Operators

CREATE OPERATOR || (LEFTARG = topk, RIGHTARG = topk, FUNCTION = topk_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (topk, topk) IS 'union of two sketches';

--use comparisons topk

-- Casts to and from bytea, of the form at rest.

CREATE FUNCTION topk_from_bytea(bytea) RETURNS topk
	AS 'MODULE_PATHNAME', 'topk_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION topk_from_bytea(bytea) IS 'checks the bytes of a sketch and takes them';

CREATE CAST (topk AS bytea) WITH FUNCTION topk_send(topk);
CREATE CAST (bytea AS topk) WITH FUNCTION topk_from_bytea(bytea);
