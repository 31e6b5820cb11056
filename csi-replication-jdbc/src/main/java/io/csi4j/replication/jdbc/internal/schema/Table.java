package io.csi4j.replication.jdbc.internal.schema;

import static io.csi4j.replication.jdbc.internal.schema.Table.Right.DELETE;
import static io.csi4j.replication.jdbc.internal.schema.Table.Right.INSERT;
import static io.csi4j.replication.jdbc.internal.schema.Table.Right.SELECT;
import static io.csi4j.replication.jdbc.internal.schema.Table.Right.UPDATE;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A table of the log as this version of csi4j expects it: the columns, the keys, and the rights that its use needs. */
@SuppressWarnings("ImmutableEnumChecker") // The collections cannot be changed.
enum Table {
    HEAD(
            "head",
            EnumSet.of(SELECT, INSERT, UPDATE),
            "id smallint, cluster text(100), format integer, term bigint, last_index bigint, chain bytes,"
                    + " first_index bigint, identity text(200)",
            "id"),
    LEASE(
            "lease",
            EnumSet.of(SELECT, INSERT, UPDATE),
            "id smallint, term bigint, renewals bigint, holder bigint, leader text(100), leader_since time",
            "id"),
    LOG(
            "log",
            EnumSet.of(SELECT, INSERT, DELETE),
            "idx bigint, term bigint, origin bigint, number bigint, content content, chain bytes",
            "idx"),
    SUBMISSION(
            "submission",
            EnumSet.allOf(Right.class),
            "id bigint, subject text(300), recorded_at time, content content",
            "id"),
    SNAPSHOT(
            "snapshot",
            EnumSet.allOf(Right.class),
            "idx bigint, chain bytes, bytes bigint, chunks integer, digest bytes, completed_at time",
            "idx"),
    SNAPSHOT_CHUNK(
            "snapshot_chunk",
            EnumSet.of(SELECT, INSERT, DELETE),
            "idx bigint, chunk integer, content content",
            "idx, chunk"),
    SERVER(
            "server",
            EnumSet.allOf(Right.class),
            "name text(100), incarnation bigint, applied_index bigint, seen_at time, version text(50)",
            "name");

    /** A right that a role can have on a table. */
    enum Right {
        SELECT,
        INSERT,
        UPDATE,
        DELETE
    }

    private final String suffix;
    private final Set<Right> rights;
    private final Map<String, String> columns;
    private final List<Set<String>> keys;

    Table(String suffix, Set<Right> rights, String columns, String... keys) {
        this.suffix = suffix;
        this.rights = Collections.unmodifiableSet(rights);
        Map<String, String> types = new LinkedHashMap<>();
        names(columns).forEach(column -> types.put(column.split(" ", -1)[0], column.split(" ", -1)[1]));
        this.columns = Collections.unmodifiableMap(types);
        this.keys =
                Arrays.stream(keys).map(key -> Set.copyOf(names(key).toList())).toList();
    }

    private static Stream<String> names(String list) {
        return Arrays.stream(list.split(", ", -1));
    }

    /** The name after the prefix. */
    String suffix() {
        return suffix;
    }

    /** The rights that the log needs. */
    Set<Right> rights() {
        return rights;
    }

    /** The columns in their order, each with its type; {@link Dialect#type} has the type's name in a database. */
    Map<String, String> columns() {
        return columns;
    }

    /** The primary key and the other columns whose values no two rows share. */
    List<Set<String>> keys() {
        return keys;
    }
}
