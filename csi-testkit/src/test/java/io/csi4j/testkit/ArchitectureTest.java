package io.csi4j.testkit;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** Directions inside the testkit; the rules for all modules are tested where all modules are in sight. */
class ArchitectureTest {
    private static final DescribedPredicate<JavaClass> WIRE =
            resideInAnyPackage("io.grpc..", "com.google.protobuf..", "io.csi4j.proto..");

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.csi4j.testkit");

    /** The parts of the fake that handle calls. */
    private static final String[] FAKE = {
        "io.csi4j.testkit.capability..",
        "io.csi4j.testkit.internal.service..",
        "io.csi4j.testkit.internal.rule..",
        "io.csi4j.testkit.internal.storage..",
        "io.csi4j.testkit.internal.store..",
        "io.csi4j.testkit.internal.node..",
        "io.csi4j.testkit.internal.disk..",
        "io.csi4j.testkit.internal.serve.."
    };

    @Test
    void fakePluginDependsOnNeitherClientNorCore() {
        // The fake and the client check each other only as long as they share nothing but the wire.
        noClasses()
                .that()
                .resideInAnyPackage(FAKE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.csi4j.core..",
                        "io.csi4j.state..",
                        "io.csi4j.client..",
                        "io.csi4j.client.registry..",
                        "io.csi4j.node..",
                        "io.csi4j.agent..")
                .check(MAIN);
    }

    @Test
    void faultAndHistoryPackagesDependOnlyOnCallPackageOfCore() {
        noClasses()
                .that()
                .resideInAnyPackage("io.csi4j.testkit", "io.csi4j.testkit.fault..", "io.csi4j.testkit.history..")
                .or()
                .resideInAnyPackage("io.csi4j.testkit.internal..", "io.csi4j.testkit.cli..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.csi4j..")
                        .and(DescribedPredicate.not(
                                resideInAnyPackage("io.csi4j.testkit..", "io.csi4j.proto..", "io.csi4j.core.call"))))
                .check(MAIN);
    }

    @Test
    void publicApiContainsNoProtobufTypes() {
        showsNoWireTypes("io.csi4j.testkit").check(MAIN);
        showsNoWireTypes("io.csi4j.testkit.capability").check(MAIN);
        showsNoWireTypes("io.csi4j.testkit.fault").check(MAIN);
        showsNoWireTypes("io.csi4j.testkit.history").check(MAIN);
        showsNoWireTypes("io.csi4j.testkit.conformance").check(MAIN);
    }

    @Test
    void architectureRuleDetectsViolations() {
        assertThatThrownBy(() ->
                        showsNoWireTypes("io.csi4j.testkit.internal.service").check(MAIN))
                .hasMessageContaining("io.csi4j.proto");
    }

    private static ArchRule showsNoWireTypes(String inPackage) {
        return methods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .resideInAPackage(inPackage)
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .should()
                .notHaveRawReturnType(WIRE)
                .andShould()
                .notHaveRawParameterTypes(DescribedPredicate.anyElementThat(WIRE));
    }
}
