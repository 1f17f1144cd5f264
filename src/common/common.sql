\echo Use "CREATE EXTENSION bloomsketch" to load this file. \quit

-- The hash that every sketch uses, for sketches made or read elsewhere.
--{ SCALAR
CREATE FUNCTION sketch_hash(value @T@, seed bigint DEFAULT 0) RETURNS bigint
	AS 'MODULE_PATHNAME', 'sketch_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sketch_hash(@T@, bigint) IS
	'the 64-bit XXH3 hash that sketches with this seed use for the value';
--}
