-- Comparisons of images: equal sketches have equal bytes.

CREATE FUNCTION @S@_eq(@S@, @S@) RETURNS boolean
	AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_ne(@S@, @S@) RETURNS boolean
	AS 'byteane' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_lt(@S@, @S@) RETURNS boolean
	AS 'bytealt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_le(@S@, @S@) RETURNS boolean
	AS 'byteale' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_gt(@S@, @S@) RETURNS boolean
	AS 'byteagt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_ge(@S@, @S@) RETURNS boolean
	AS 'byteage' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_cmp(@S@, @S@) RETURNS integer
	AS 'byteacmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_hash(@S@) RETURNS integer
	AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION @S@_hash_extended(@S@, bigint) RETURNS bigint
	AS 'hashvarlenaextended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION @S@_eq(@S@, @S@) IS 'implementation of = operator';
COMMENT ON FUNCTION @S@_ne(@S@, @S@) IS 'implementation of <> operator';
COMMENT ON FUNCTION @S@_lt(@S@, @S@) IS 'implementation of < operator';
COMMENT ON FUNCTION @S@_le(@S@, @S@) IS 'implementation of <= operator';
COMMENT ON FUNCTION @S@_gt(@S@, @S@) IS 'implementation of > operator';
COMMENT ON FUNCTION @S@_ge(@S@, @S@) IS 'implementation of >= operator';
COMMENT ON FUNCTION @S@_cmp(@S@, @S@) IS 'order of two images';
COMMENT ON FUNCTION @S@_hash(@S@) IS 'hash of the image';
COMMENT ON FUNCTION @S@_hash_extended(@S@, bigint) IS 'hash of the image';

CREATE OPERATOR = (LEFTARG = @S@, RIGHTARG = @S@, FUNCTION = @S@_eq, COMMUTATOR = =,
	NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = @S@, RIGHTARG = @S@, FUNCTION = @S@_ne, COMMUTATOR = <>,
	NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR < (LEFTARG = @S@, RIGHTARG = @S@, FUNCTION = @S@_lt, COMMUTATOR = >,
	NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = @S@, RIGHTARG = @S@, FUNCTION = @S@_le, COMMUTATOR = >=,
	NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = @S@, RIGHTARG = @S@, FUNCTION = @S@_gt, COMMUTATOR = <,
	NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = @S@, RIGHTARG = @S@, FUNCTION = @S@_ge, COMMUTATOR = <=,
	NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR = (@S@, @S@) IS 'equal';
COMMENT ON OPERATOR <> (@S@, @S@) IS 'not equal';
COMMENT ON OPERATOR < (@S@, @S@) IS 'less than';
COMMENT ON OPERATOR <= (@S@, @S@) IS 'less than or equal';
COMMENT ON OPERATOR > (@S@, @S@) IS 'greater than';
COMMENT ON OPERATOR >= (@S@, @S@) IS 'greater than or equal';

CREATE OPERATOR CLASS @S@_ops DEFAULT FOR TYPE @S@ USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 @S@_cmp(@S@, @S@);
CREATE OPERATOR CLASS @S@_ops DEFAULT FOR TYPE @S@ USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 @S@_hash(@S@), FUNCTION 2 @S@_hash_extended(@S@, bigint);
