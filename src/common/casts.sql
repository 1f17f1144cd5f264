-- Casts to and from bytea, which is the image itself.

CREATE FUNCTION @S@_from_bytea(bytea) RETURNS @S@
	AS 'MODULE_PATHNAME', '@S@_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @S@_from_bytea(bytea) IS 'checks the bytes of a sketch and takes them';

CREATE CAST (@S@ AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS @S@) WITH FUNCTION @S@_from_bytea(bytea);
