package io.csi4j.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceRule;
import java.lang.annotation.Annotation;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the dependency rules of all modules; each rule is also shown to fail for a class that violates it. */
class ArchitectureTest {
    private static final String[] WIRE = {"io.grpc..", "com.google.protobuf..", "io.csi4j.proto.."};

    /** The only library classes that may use elapsed time, a real clock or random numbers. */
    private static final Set<String> TIME_SOURCES = Set.of(
            "io.csi4j.core.spi.Timer",
            "io.csi4j.client.internal.transport.ElapsedTime",
            "io.csi4j.core.spi.Environment",
            "io.csi4j.client.DefaultRandom",
            "io.csi4j.testkit.FakeStorage",
            "io.csi4j.testkit.conformance.internal.SystemTimeSource");

    /** The packages of programs, which may use the system clock but must not sleep. */
    private static final String[] PROGRAMS = {"io.csi4j.examples..", "io.csi4j.benchmarks..", "io.csi4j.testkit.cli.."};

    private static final Map<String, Set<String>> SLEEP_CALLS = Map.of(
            "java.lang.Thread", Set.of("sleep"),
            "java.util.concurrent.TimeUnit", Set.of("sleep"));

    private static final Map<String, Set<String>> BANNED_CALLS = Map.ofEntries(
            Map.entry("java.lang.System", Set.of("currentTimeMillis", "nanoTime")),
            Map.entry("java.time.Instant", Set.of("now")),
            Map.entry("java.time.LocalDate", Set.of("now")),
            Map.entry("java.time.LocalTime", Set.of("now")),
            Map.entry("java.time.LocalDateTime", Set.of("now")),
            Map.entry("java.time.OffsetDateTime", Set.of("now")),
            Map.entry("java.time.ZonedDateTime", Set.of("now")),
            Map.entry(
                    "java.time.Clock", Set.of("system", "systemUTC", "systemDefaultZone", "tickMillis", "tickSeconds")),
            Map.entry("java.util.Date", Set.of("<init>")),
            Map.entry("java.lang.Math", Set.of("random")),
            Map.entry("java.util.Random", Set.of("<init>")),
            Map.entry("java.util.SplittableRandom", Set.of("<init>")),
            Map.entry("java.util.UUID", Set.of("randomUUID")),
            Map.entry("java.util.concurrent.ThreadLocalRandom", Set.of("current")),
            Map.entry("java.util.random.RandomGenerator", Set.of("getDefault", "of")),
            Map.entry("java.lang.Thread", Set.of("sleep")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep")));

    /** The methods of the engine that call a plugin or the agent of a node. */
    private static final Map<String, Set<String>> PLUGIN_CALLS = Map.of(
            "io.csi4j.core.lifecycle.internal.call.PluginCalls",
            Set.of("controller", "groupController", "metadata", "node"));

    private static final JavaClasses MAIN = MainClasses.ALL;

    /** API packages whose entry points use their own internal packages, while these packages use types of the API. */
    private static final List<String> OWN_INTERNALS = List.of(
            "io.csi4j.agent",
            "io.csi4j.client",
            "io.csi4j.core.lifecycle",
            "io.csi4j.node",
            "io.csi4j.replication.jdbc",
            "io.csi4j.replication.ratis",
            "io.csi4j.client.registry",
            "io.csi4j.simulation",
            "io.csi4j.testkit.conformance");

    /**
     * Internal packages that other modules of csi4j use: commands and what they do to rows, the capabilities that calls
     * need, the limits of what arrives, resuming streams of snapshot metadata, texts, serial execution, lines of the
     * log, small durable files, sockets with their threads, the timer of attempts, reloaded TLS files, one gRPC call with
     * its connection, the messages between servers and nodes, and the values that several formats share.
     */
    private static final Set<String> SHARED_INTERNALS = Set.of(
            "io.csi4j.core.internal.apply",
            "io.csi4j.core.internal.capability",
            "io.csi4j.core.internal.check",
            "io.csi4j.core.internal.command",
            "io.csi4j.core.internal.metadata",
            "io.csi4j.core.internal.file",
            "io.csi4j.core.internal.text",
            "io.csi4j.core.internal.concurrent",
            "io.csi4j.core.internal.log",
            "io.csi4j.core.internal.replication",
            "io.csi4j.core.lifecycle.internal.change",
            "io.csi4j.client.internal.call",
            "io.csi4j.client.internal.file",
            "io.csi4j.client.internal.limit",
            "io.csi4j.client.internal.socket",
            "io.csi4j.client.internal.timer",
            "io.csi4j.client.internal.tls",
            "io.csi4j.client.internal.transport",
            "io.csi4j.node.internal.codec",
            "io.csi4j.values.internal");

    private static final Pattern MODULE = Pattern.compile("io\\.csi4j\\.(\\w+)");

    /** A rule, a package of these tests that violates it, and the expected messages. */
    record Case(ArchRule rule, String violatingPackage, List<String> messages) {
        @Override
        public String toString() {
            return rule.getDescription();
        }
    }

    static Stream<Case> rules() {
        String violations = "io.csi4j.architecture.broken";
        return Stream.of(
                new Case(noWireTypeIsPublic(), violations, List.of("RuleBreaker exposes io.grpc.Status")),
                new Case(noCycles(), violations, List.of("Cycle detected")),
                new Case(coreDependsOnNoModule("io.csi4j.core"), null, List.of()),
                // The same rule for a root package that depends on another one.
                new Case(
                        coreDependsOnNoModule(violations + ".bad"),
                        violations,
                        List.of("CyclePartner", "io.grpc.Status")),
                new Case(stateDependsOnCoreProtoAndValuesOnly(), null, List.of()),
                new Case(simulationDependsOnCoreStateAndNodeOnly("io.csi4j.simulation.."), null, List.of()),
                // The same rule for a root package that depends on gRPC.
                new Case(
                        simulationDependsOnCoreStateAndNodeOnly(violations + ".."),
                        violations,
                        List.of("io.grpc.Status")),
                new Case(noModuleDependsOnPrograms("io.csi4j.examples..", "io.csi4j.benchmarks.."), null, List.of()),
                // The same rule for a program on which another package depends.
                new Case(noModuleDependsOnPrograms(violations + ".bad.."), violations, List.of("CyclePartner")),
                new Case(
                        librariesUseNoSystemClockOrRandom(),
                        violations,
                        List.of("java.lang.System.nanoTime()", "java.util.Random.<init>()")),
                new Case(programsNeverSleep(), violations, List.of("java.lang.Thread.sleep(long)")),
                new Case(internalsStayInTheirModule(), violations, List.of("LifecycleEngine")),
                new Case(fewClassesCallPlugins(), violations, List.of("PluginCalls.controller")));
    }

    private static ArchRule noWireTypeIsPublic() {
        return classes()
                .that()
                .arePublic()
                .and()
                .resideOutsideOfPackages("io.csi4j..internal..", "io.csi4j.benchmarks..")
                .should(new ArchCondition<JavaClass>("have no gRPC or protobuf type on a public signature") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        signatures(type)
                                .filter(used -> resideInAnyPackage(WIRE).test(used))
                                .forEach(used -> events.add(SimpleConditionEvent.violated(
                                        type, type.getName() + " exposes " + used.getName())));
                    }
                });
    }

    /** Returns all types that the visible signatures of {@code type} use, including type arguments. */
    private static Stream<JavaClass> signatures(JavaClass type) {
        Set<JavaClass> used = new HashSet<>();
        type.getSuperclass().ifPresent(parent -> used.addAll(parent.getAllInvolvedRawTypes()));
        type.getInterfaces().forEach(parent -> used.addAll(parent.getAllInvolvedRawTypes()));
        type.getTypeParameters().forEach(parameter -> used.addAll(parameter.getAllInvolvedRawTypes()));
        for (JavaMember member : type.getMembers()) {
            if (!member.getModifiers().contains(JavaModifier.PUBLIC)
                    && !member.getModifiers().contains(JavaModifier.PROTECTED)) {
                continue;
            }
            if (member instanceof JavaField field) {
                used.addAll(field.getType().getAllInvolvedRawTypes());
            }
            if (member instanceof JavaCodeUnit code) {
                used.addAll(code.getReturnType().getAllInvolvedRawTypes());
                for (JavaType parameter : code.getParameterTypes()) {
                    used.addAll(parameter.getAllInvolvedRawTypes());
                }
                used.addAll(code.getExceptionTypes());
            }
        }
        return used.stream();
    }

    private static ArchRule noCycles() {
        SliceRule rule = slices().matching("io.csi4j.(**)").should().beFreeOfCycles();
        for (String api : OWN_INTERNALS) {
            rule = rule.ignoreDependency(resideInAPackage(api), resideInAPackage(api + ".internal.."));
        }
        return rule;
    }

    private static ArchRule coreDependsOnNoModule(String core) {
        return noClasses()
                .that(resideInAPackage(core + ".."))
                .should()
                .dependOnClassesThat(resideInAPackage("io.csi4j..")
                        .and(describe(
                                "are not in " + core,
                                type -> !type.getPackageName().startsWith(core))))
                .orShould()
                .dependOnClassesThat(resideInAnyPackage(WIRE));
    }

    private static ArchRule stateDependsOnCoreProtoAndValuesOnly() {
        return noClasses()
                .that()
                .resideInAPackage("io.csi4j.state..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.csi4j..")
                        .and(describe(
                                "are in another module than core, state, proto and values",
                                type -> !resideInAnyPackage(
                                                "io.csi4j.core..",
                                                "io.csi4j.state..",
                                                "io.csi4j.proto..",
                                                "io.csi4j.values..")
                                        .test(type))))
                .orShould()
                .dependOnClassesThat(resideInAPackage("io.grpc.."));
    }

    private static ArchRule simulationDependsOnCoreStateAndNodeOnly(String simulation) {
        return noClasses()
                .that()
                .resideInAPackage(simulation)
                .should()
                .dependOnClassesThat(resideInAPackage("io.csi4j..")
                        .and(describe(
                                "are in another module than core, state and node",
                                type -> !resideInAnyPackage(
                                                "io.csi4j.core..", "io.csi4j.state..", "io.csi4j.node..", simulation)
                                        .test(type))))
                .orShould()
                .dependOnClassesThat(resideInAnyPackage(WIRE));
    }

    private static ArchRule noModuleDependsOnPrograms(String... programs) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(programs)
                .should()
                .dependOnClassesThat(resideInAnyPackage(programs));
    }

    private static ArchRule librariesUseNoSystemClockOrRandom() {
        return noClasses()
                .that(describe(
                        "are neither a program nor a source of time or random numbers",
                        type -> !TIME_SOURCES.contains(type.getName())
                                && !resideInAnyPackage(PROGRAMS).test(type)))
                .should()
                .accessTargetWhere(accesses("uses the system clock, random numbers or sleep", BANNED_CALLS));
    }

    /** A call for a volume's row is made by its worker; other questions and snapshots have packages of their own. */
    private static ArchRule fewClassesCallPlugins() {
        String engine = "io.csi4j.core.lifecycle.internal";
        return noClasses()
                .that(describe(
                        "neither run the calls for rows, nor are in the packages for snapshots and questions",
                        type -> !type.getName().startsWith(engine + ".worker.CallRunner")
                                && !type.getName().startsWith(engine + ".call.PluginCalls")
                                && !resideInAnyPackage(engine + ".snapshot", engine + ".reconcile")
                                        .test(type)))
                .should()
                .accessTargetWhere(accesses("calls a plugin", PLUGIN_CALLS));
    }

    private static ArchRule programsNeverSleep() {
        return noClasses().should().accessTargetWhere(accesses("sleeps", SLEEP_CALLS));
    }

    private static ArchRule internalsStayInTheirModule() {
        return classes().should(new ArchCondition<JavaClass>("use internal packages of their own module only") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().stream()
                        .filter(used -> isInternal(used.getTargetClass().getPackageName()))
                        .filter(used -> !module(used.getTargetClass()).equals(module(type)))
                        .forEach(used -> events.add(SimpleConditionEvent.violated(type, used.getDescription())));
            }
        });
    }

    private static boolean isInternal(String name) {
        return name.startsWith("io.csi4j.") && (name + ".").contains(".internal.") && !SHARED_INTERNALS.contains(name);
    }

    /** Returns the module of a type by the first package below the root. */
    private static String module(JavaClass type) {
        Matcher name = MODULE.matcher(type.getPackageName());
        if (!name.lookingAt()) {
            throw new IllegalArgumentException(type.getName() + " is not in a package of csi4j");
        }
        return name.group(1);
    }

    private static DescribedPredicate<JavaAccess<?>> accesses(String description, Map<String, Set<String>> members) {
        return describe(
                description,
                access -> members.getOrDefault(access.getTargetOwner().getName(), Set.of())
                                .contains(access.getTarget().getName())
                        && !hasSeed(access));
    }

    /**
     * Returns whether a constructor call is allowed because its argument is a seed or a number: such a random generator or date does not
     * depend on the system.
     */
    private static boolean hasSeed(JavaAccess<?> access) {
        return access instanceof JavaConstructorCall call
                && !call.getTarget().getRawParameterTypes().isEmpty();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void mainCodeFollowsAllArchitectureRules(Case ruleCase) {
        ruleCase.rule().allowEmptyShould(true).check(MAIN);
    }

    static Stream<Case> rulesWithViolation() {
        return rules().filter(rule -> rule.violatingPackage() != null);
    }

    @ParameterizedTest
    @MethodSource("rulesWithViolation")
    void architectureRuleFailsForPackageThatViolatesIt(Case ruleCase) {
        JavaClasses violations = new ClassFileImporter().importPackages(ruleCase.violatingPackage());
        assertThatThrownBy(() -> ruleCase.rule().check(violations))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(ruleCase.messages().toArray(String[]::new));
    }

    @Test
    void mainCodeOfEveryModuleIsChecked() {
        assertThat(MAIN.stream().map(JavaClass::getPackageName))
                .contains(
                        "io.csi4j.core.call",
                        "io.csi4j.state",
                        "io.csi4j.client",
                        "io.csi4j.client.registry",
                        "io.csi4j.node",
                        "io.csi4j.agent",
                        "io.csi4j.micrometer",
                        "io.csi4j.admin",
                        "io.csi4j.replication.ratis",
                        "io.csi4j.replication.jdbc",
                        "io.csi4j.server",
                        "io.csi4j.testkit",
                        "io.csi4j.testkit.cli",
                        "io.csi4j.simulation",
                        "io.csi4j.examples.quickstart",
                        "io.csi4j.benchmarks.state");
        assertThat(MAIN.contain(Annotation.class)).isFalse();
        assertThat(MAIN.stream().map(JavaClass::getSimpleName)).doesNotContain("ArchitectureTest", "RuleBreaker");
    }

    @Test
    void eachBannedTimeSourceClassExists() {
        assertThat(MAIN.stream().map(JavaClass::getName)).containsAll(TIME_SOURCES);
    }
}
