/** A program with a module descriptor that uses all of csi4j; ModularProgramTest starts it. */
module modular {
    requires io.csi4j.admin;
    requires io.csi4j.micrometer;
    requires io.csi4j.replication.ratis;
    requires io.csi4j.server;
    requires io.csi4j.testkit;
}
