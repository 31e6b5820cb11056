import org.jspecify.annotations.NullMarked;

/** A log of commands in a database. */
@NullMarked
module io.csi4j.replication.jdbc {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires transitive io.csi4j.state;
    requires transitive java.sql;
    // The annotations in the classes of the driver.
    requires static org.checkerframework.checker.qual;
    requires static org.postgresql.jdbc;

    exports io.csi4j.replication.jdbc;
}
