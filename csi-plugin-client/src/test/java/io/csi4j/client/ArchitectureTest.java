package io.csi4j.client;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.lang.annotation.Annotation;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The directions and bans that hold in csi4j; each is shown to be able to fail. */
class ArchitectureTest {
    private static final String[] WIRE = {"io.grpc..", "com.google.protobuf..", "io.csi4j.proto.."};

    /** Elapsed time and chance come from here only. */
    private static final Set<String> SEAMS =
            Set.of(Ticker.class.getName(), Chance.class.getName(), "io.csi4j.registry.ElapsedTime");

    private static final Map<String, Set<String>> BANNED = Map.ofEntries(
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

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.csi4j.core", "io.csi4j.client", "io.csi4j.registry", "io.csi4j.node", "io.csi4j.agent");

    /** A rule, a package of these tests that breaks it, and what the rule has to say to that. */
    record Case(ArchRule rule, String breaker, List<String> complaints) {
        @Override
        public String toString() {
            return rule.getDescription();
        }
    }

    static Stream<Case> rules() {
        String broken = "io.csi4j.client.architecture";
        return Stream.of(
                new Case(noWireTypeIsPublic(), broken, List.of("RuleBreaker shows io.grpc.Status")),
                new Case(noCycles(), broken, List.of("Cycle detected")),
                new Case(coreKnowsNobody("io.csi4j.core"), null, List.of()),
                // The same rule, with a root that knows somebody.
                new Case(coreKnowsNobody(broken + ".bad"), broken, List.of("Accomplice", "io.grpc.Status")),
                new Case(
                        noClockRandomOrSleep(),
                        broken,
                        List.of("java.lang.System.nanoTime()", "java.util.Random.<init>()")));
    }

    private static ArchRule noWireTypeIsPublic() {
        return classes()
                .that()
                .arePublic()
                .should(new ArchCondition<JavaClass>("have no gRPC or protobuf type on a public signature") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        signatures(type)
                                .filter(used -> resideInAnyPackage(WIRE).test(used))
                                .forEach(used -> events.add(SimpleConditionEvent.violated(
                                        type, type.getName() + " shows " + used.getName())));
                    }
                });
    }

    /** All types on what others can see of {@code type}, type arguments included. */
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
        return slices().matching("io.csi4j.(**)").should().beFreeOfCycles();
    }

    private static ArchRule coreKnowsNobody(String core) {
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

    private static ArchRule noClockRandomOrSleep() {
        return noClasses()
                .that(describe(
                        "are not a package's one source of elapsed time, or of chance",
                        type -> !SEAMS.contains(type.getName())))
                .should()
                .accessTargetWhere(describe(
                        "asks the system for time or chance, or sleeps",
                        (JavaAccess<?> access) -> BANNED.getOrDefault(
                                        access.getTargetOwner().getName(), Set.of())
                                .contains(access.getTarget().getName())));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void mainCodeKeepsTheRules(Case tested) {
        tested.rule().allowEmptyShould(true).check(MAIN);
    }

    static Stream<Case> breakableRules() {
        return rules().filter(rule -> rule.breaker() != null);
    }

    @ParameterizedTest
    @MethodSource("breakableRules")
    void eachRuleCanFail(Case tested) {
        JavaClasses broken = new ClassFileImporter().importPackages(tested.breaker());
        assertThatThrownBy(() -> tested.rule().check(broken))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(tested.complaints().toArray(String[]::new));
    }

    @Test
    void theWholeOfMainCodeIsLookedAt() {
        assertThat(MAIN.contain(CsiClient.class)).isTrue();
        assertThat(MAIN.contain(Annotation.class)).isFalse();
        assertThat(MAIN.stream().map(JavaClass::getPackageName))
                .contains("io.csi4j.core.call", "io.csi4j.core.rpc", "io.csi4j.registry", "io.csi4j.agent");
        assertThat(MAIN.stream().map(JavaClass::getSimpleName)).doesNotContain("ArchitectureTest", "Wire");
    }
}
