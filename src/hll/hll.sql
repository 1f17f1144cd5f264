-- hll: how many distinct values (HyperLogLog)

CREATE TYPE hll;

CREATE FUNCTION hll_in(cstring) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_out(hll) RETURNS cstring
	AS 'MODULE_PATHNAME', 'sketch_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_recv(internal) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_send(hll) RETURNS bytea
	AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION hll_in(cstring) IS 'I/O';
COMMENT ON FUNCTION hll_out(hll) IS 'I/O';
COMMENT ON FUNCTION hll_recv(internal) IS 'I/O';
COMMENT ON FUNCTION hll_send(hll) IS 'I/O';

CREATE TYPE hll (
	INPUT = hll_in,
	OUTPUT = hll_out,
	RECEIVE = hll_recv,
	SEND = hll_send,
	STORAGE = external
);
COMMENT ON TYPE hll IS 'HyperLogLog sketch: how many distinct values were added';

-- Building and changing

CREATE FUNCTION hll_empty() RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_empty() IS
	'a sketch over no values, without parameters yet: it unites with any';
CREATE FUNCTION hll_empty("precision" integer, seed bigint DEFAULT 0) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_empty(integer, bigint) IS
	'a sketch over no values, with precision 4..18 and a seed';

--{ SCALAR
CREATE FUNCTION hll_add(sketch hll, value @T@) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_add(hll, @T@) IS
	'the sketch with one value more; itself when the value changes no register';
--}

CREATE FUNCTION hll_union(a hll, b hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_union(hll, hll) IS
	'the sketch over the values of both';

CREATE FUNCTION hll_reduce(sketch hll, "precision" integer) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_reduce' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_reduce(hll, integer) IS
	'the sketch as it would be, had it been built at this lower precision';

-- Asking

CREATE FUNCTION hll_count(sketch hll) RETURNS bigint
	AS 'MODULE_PATHNAME', 'hll_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_count(hll) IS
	'estimated number of distinct values';

CREATE FUNCTION hll_info(sketch hll,
	OUT "precision" integer, OUT standard_error double precision,
	OUT representation text, OUT registers_used integer, OUT bytes integer,
	OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'hll_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_info(hll) IS
	'parameters, standard error, form, registers in use, size, kind of values';

-- Aggregates. The state is a sketch in a working form, changed in place. SSPACE
-- keeps work_mem honest for groups that become dense.

CREATE FUNCTION hll_union_step(state hll, sketch hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_union_step(hll, hll) IS 'aggregate transition and combine function';
CREATE FUNCTION hll_agg_final(state hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_final(hll) IS 'aggregate final function';
CREATE FUNCTION hll_union_final(state hll) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_union_final(hll) IS 'aggregate final function';
CREATE FUNCTION hll_count_final(state hll) RETURNS bigint
	AS 'MODULE_PATHNAME', 'hll_count' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_count_final(hll) IS 'aggregate final function';

CREATE AGGREGATE hll_union(sketch hll) (
	SFUNC = hll_union_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_union_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_union(hll) IS
	'the sketch over the values of all; NULL over no sketches';

--{ AGGREGATE
CREATE FUNCTION hll_agg_step(state hll, value @T@) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_step(hll, @T@) IS 'aggregate transition function';
CREATE FUNCTION hll_agg_step(state hll, value @T@, "precision" integer) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_step(hll, @T@, integer) IS 'aggregate transition function';

CREATE AGGREGATE hll_agg(value @T@) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_agg_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(@T@) IS
	'sketch over the values, with precision 14';
CREATE AGGREGATE hll_agg(value @T@, "precision" integer) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_agg_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(@T@, integer) IS
	'sketch over the values, with precision 4..18';

CREATE AGGREGATE approx_count_distinct(value @T@) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_count_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_count_distinct(@T@) IS
	'estimated number of distinct values, by a HyperLogLog sketch of precision 14';
CREATE AGGREGATE approx_count_distinct(value @T@, "precision" integer) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_count_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_count_distinct(@T@, integer) IS
	'estimated number of distinct values, by a HyperLogLog sketch of precision 4..18';
--}

--{ SCALAR
CREATE FUNCTION hll_agg_step(state hll, value @T@, "precision" integer, seed bigint) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION hll_agg_step(hll, @T@, integer, bigint) IS 'aggregate transition function';
CREATE AGGREGATE hll_agg(value @T@, "precision" integer, seed bigint) (
	SFUNC = hll_agg_step, STYPE = hll, SSPACE = 16384,
	FINALFUNC = hll_agg_final, COMBINEFUNC = hll_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(@T@, integer, bigint) IS
	'sketch over the values, with precision 4..18 and a seed for the hash';
--}

-- Operators

CREATE OPERATOR || (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (hll, hll) IS 'union of two sketches';
CREATE OPERATOR # (RIGHTARG = hll, FUNCTION = hll_count);
COMMENT ON OPERATOR # (NONE, hll) IS 'estimated number of distinct values';

-- Comparisons of images: equal sketches have equal bytes.

CREATE FUNCTION hll_eq(hll, hll) RETURNS boolean
	AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_ne(hll, hll) RETURNS boolean
	AS 'byteane' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_lt(hll, hll) RETURNS boolean
	AS 'bytealt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_le(hll, hll) RETURNS boolean
	AS 'byteale' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_gt(hll, hll) RETURNS boolean
	AS 'byteagt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_ge(hll, hll) RETURNS boolean
	AS 'byteage' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_cmp(hll, hll) RETURNS integer
	AS 'byteacmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_hash(hll) RETURNS integer
	AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hll_hash_extended(hll, bigint) RETURNS bigint
	AS 'hashvarlenaextended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION hll_eq(hll, hll) IS 'implementation of = operator';
COMMENT ON FUNCTION hll_ne(hll, hll) IS 'implementation of <> operator';
COMMENT ON FUNCTION hll_lt(hll, hll) IS 'implementation of < operator';
COMMENT ON FUNCTION hll_le(hll, hll) IS 'implementation of <= operator';
COMMENT ON FUNCTION hll_gt(hll, hll) IS 'implementation of > operator';
COMMENT ON FUNCTION hll_ge(hll, hll) IS 'implementation of >= operator';
COMMENT ON FUNCTION hll_cmp(hll, hll) IS 'order of two images';
COMMENT ON FUNCTION hll_hash(hll) IS 'hash of the image';
COMMENT ON FUNCTION hll_hash_extended(hll, bigint) IS 'hash of the image';

CREATE OPERATOR = (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_eq, COMMUTATOR = =,
	NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_ne, COMMUTATOR = <>,
	NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR < (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_lt, COMMUTATOR = >,
	NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_le, COMMUTATOR = >=,
	NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_gt, COMMUTATOR = <,
	NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_ge, COMMUTATOR = <=,
	NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR = (hll, hll) IS 'equal';
COMMENT ON OPERATOR <> (hll, hll) IS 'not equal';
COMMENT ON OPERATOR < (hll, hll) IS 'less than';
COMMENT ON OPERATOR <= (hll, hll) IS 'less than or equal';
COMMENT ON OPERATOR > (hll, hll) IS 'greater than';
COMMENT ON OPERATOR >= (hll, hll) IS 'greater than or equal';

CREATE OPERATOR CLASS hll_ops DEFAULT FOR TYPE hll USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 hll_cmp(hll, hll);
CREATE OPERATOR CLASS hll_ops DEFAULT FOR TYPE hll USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 hll_hash(hll), FUNCTION 2 hll_hash_extended(hll, bigint);

-- Casts

CREATE FUNCTION hll_from_bytea(bytea) RETURNS hll
	AS 'MODULE_PATHNAME', 'hll_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_from_bytea(bytea) IS 'checks the bytes of a sketch and takes them';

CREATE CAST (hll AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS hll) WITH FUNCTION hll_from_bytea(bytea);
