-- cuckoo: definitely not there, or maybe, with deletion (cuckoo filter)

--use type cuckoo
COMMENT ON TYPE cuckoo IS 'cuckoo filter: a value is certainly not in it, or probably is; what was added can be removed';

-- Before building anything

CREATE FUNCTION cuckoo_sizing(capacity bigint, false_positive_rate double precision,
	OUT bits bigint, OUT bytes bigint, OUT fingerprint_bits integer, OUT bits_per_value double precision)
	AS 'MODULE_PATHNAME', 'cuckoo_sizing' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_sizing(bigint, double precision) IS
	'size of a filter for so many values at this false positive rate';

-- Building and changing

CREATE FUNCTION cuckoo_empty(capacity bigint, false_positive_rate double precision, seed bigint DEFAULT 0) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_empty(bigint, double precision, bigint) IS
	'a filter without values, for a capacity of values and a false positive rate of at least 2e-9 and below 1';

--{ SCALAR
CREATE FUNCTION cuckoo_add(filter cuckoo, value @T@) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_add(cuckoo, @T@) IS
	'the filter with one copy of the value more; an error when there is no room';

CREATE FUNCTION cuckoo_remove(filter cuckoo, value @T@) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_remove(cuckoo, @T@) IS
	'the filter with one copy of the value less; an error when it is certainly not in it';

CREATE FUNCTION cuckoo_try_remove(INOUT filter cuckoo, value @T@, OUT removed boolean)
	AS 'MODULE_PATHNAME', 'cuckoo_try_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_try_remove(cuckoo, @T@) IS
	'the filter with one copy of the value less, and whether there was one';
--}

CREATE FUNCTION cuckoo_union(a cuckoo, b cuckoo) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_union(cuckoo, cuckoo) IS
	'the filter with all copies of both, which have equal parameters; an error when there is no room';

-- Asking

--{ SCALAR
CREATE FUNCTION cuckoo_contains(filter cuckoo, value @T@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'cuckoo_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, @T@) IS
	'false: the value is certainly not in the filter; true: it probably is';

CREATE FUNCTION cuckoo_count(filter cuckoo, value @T@) RETURNS bigint
	AS 'MODULE_PATHNAME', 'cuckoo_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_count(cuckoo, @T@) IS
	'how many copies of the value there are at most';
--}

CREATE FUNCTION cuckoo_info(filter cuckoo,
	OUT capacity bigint, OUT target_rate double precision, OUT expected_rate double precision,
	OUT items bigint, OUT buckets bigint, OUT bits bigint, OUT load_factor double precision,
	OUT fingerprint_bits integer, OUT bytes bigint, OUT value_type text, OUT seed bigint)
	AS 'MODULE_PATHNAME', 'cuckoo_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_info(cuckoo) IS
	'parameters, false positive rate with so many items, items, size, kind of values';

-- Aggregates. The state is the filter itself, changed in place.

CREATE FUNCTION cuckoo_union_step(state cuckoo, filter cuckoo) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_union_step(cuckoo, cuckoo) IS 'aggregate transition and combine function';
CREATE FUNCTION cuckoo_agg_final(state cuckoo) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_final(cuckoo) IS 'aggregate final function';
CREATE FUNCTION cuckoo_union_final(state cuckoo) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_union_final(cuckoo) IS 'aggregate final function';

CREATE AGGREGATE cuckoo_union(filter cuckoo) (
	SFUNC = cuckoo_union_step, STYPE = cuckoo, SSPACE = 4096,
	FINALFUNC = cuckoo_union_final, COMBINEFUNC = cuckoo_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_union(cuckoo) IS
	'the filter with all copies of all; NULL over no filters';

--{ AGGREGATE
CREATE FUNCTION cuckoo_agg_step(state cuckoo, value @T@, capacity bigint, false_positive_rate double precision) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_step(cuckoo, @T@, bigint, double precision) IS 'aggregate transition function';
CREATE AGGREGATE cuckoo_agg(value @T@, capacity bigint, false_positive_rate double precision) (
	SFUNC = cuckoo_agg_step, STYPE = cuckoo, SSPACE = 4096,
	FINALFUNC = cuckoo_agg_final, COMBINEFUNC = cuckoo_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(@T@, bigint, double precision) IS
	'filter with a copy for each row, for a capacity of values and a false positive rate';
--}

--{ SCALAR
CREATE FUNCTION cuckoo_agg_step(state cuckoo, value @T@, capacity bigint, false_positive_rate double precision, seed bigint) RETURNS cuckoo
	AS 'MODULE_PATHNAME', 'cuckoo_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_step(cuckoo, @T@, bigint, double precision, bigint) IS 'aggregate transition function';
CREATE AGGREGATE cuckoo_agg(value @T@, capacity bigint, false_positive_rate double precision, seed bigint) (
	SFUNC = cuckoo_agg_step, STYPE = cuckoo, SSPACE = 4096,
	FINALFUNC = cuckoo_agg_final, COMBINEFUNC = cuckoo_union_step, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(@T@, bigint, double precision, bigint) IS
	'filter with a copy for each row, with a capacity, a false positive rate and a seed for the hash';
--}

-- Operators

CREATE OPERATOR || (LEFTARG = cuckoo, RIGHTARG = cuckoo, FUNCTION = cuckoo_union, COMMUTATOR = ||);
COMMENT ON OPERATOR || (cuckoo, cuckoo) IS 'union of two filters';

--use comparisons cuckoo
--use casts cuckoo
