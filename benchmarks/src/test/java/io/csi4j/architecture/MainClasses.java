package io.csi4j.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The classes of all modules without their tests. They are read once, because that takes seconds. */
final class MainClasses {
    static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages(
                    "io.csi4j.core",
                    "io.csi4j.state",
                    "io.csi4j.values",
                    "io.csi4j.client",
                    "io.csi4j.node",
                    "io.csi4j.agent",
                    "io.csi4j.micrometer",
                    "io.csi4j.admin",
                    "io.csi4j.replication.ratis",
                    "io.csi4j.replication.jdbc",
                    "io.csi4j.server",
                    "io.csi4j.testkit",
                    "io.csi4j.simulation",
                    "io.csi4j.examples",
                    "io.csi4j.benchmarks");

    private MainClasses() {}
}
