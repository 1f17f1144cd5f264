# Concatenates the install script's fragments. Lines between `--{ LIST` and `--}`
# stand once for each type of the list, with @T@ replaced by it. `--use NAME TYPE`
# stands for common/NAME.sql, what all sketches have alike, with @S@ replaced by
# the sketch's type.
#
# A distributed engine compares declared argument types, so aggregates have
# overloads for the types most in use (AGGREGATE); a form with a seed and the
# scalar functions need only SCALAR. Adding a type to a list may make calls
# ambiguous: sql/overloads.sql tries every hashable type.

BEGIN {
	types["AGGREGATE"] = "smallint,integer,bigint,text,bytea,uuid,numeric,date,timestamp,timestamptz,\"char\",anyelement"
	types["SCALAR"] = "text,\"char\",anyelement"
}

/^--{ / {
	list = $2
	body = ""
	if (!(list in types)) {
		print FILENAME ":" FNR ": unknown list " list > "/dev/stderr"
		exit 1
	}
	next
}

/^--}/ {
	count = split(types[list], each, ",")
	for (i = 1; i <= count; ++i) {
		expanded = body
		gsub(/@T@/, each[i], expanded)
		printf "%s", expanded
	}
	list = ""
	next
}

/^--use / {
	file = FILENAME
	sub(/[^\/]*\/[^\/]*$/, "common/" $2 ".sql", file)
	read = 0
	while ((getline line < file) > 0) {
		gsub(/@S@/, $3, line)
		print line
		++read
	}
	close(file)
	if (read == 0) {
		print FILENAME ":" FNR ": nothing to use in " file > "/dev/stderr"
		exit 1
	}
	next
}

list != "" { body = body $0 "\n"; next }

{ print }
