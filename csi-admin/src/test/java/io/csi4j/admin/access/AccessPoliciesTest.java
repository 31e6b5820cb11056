package io.csi4j.admin.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessPoliciesTest {
    private static final Access LIST_A = Access.in(Namespace.of("team-a"), Permission.VOLUME_LIST);
    private static final Access WRITE_A = Access.in(Namespace.of("team-a"), Permission.VOLUME_WRITE);

    private final TwoServers servers = new TwoServers();
    private final List<AccessPolicies> opened = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        opened.forEach(AccessPolicies::close);
        servers.close();
    }

    private void write(String name, String... lines) throws IOException {
        Files.writeString(directory.resolve(name), String.join("\n", lines));
    }

    private AccessPolicies open(AccessControl others) {
        AccessPolicies policies = AccessPolicies.open(directory, servers.time.environment(new Random(1)), others);
        opened.add(policies);
        return policies;
    }

    private AccessPolicies open() {
        return open((caller, access) -> false);
    }

    private TokenPrincipal holder(AccessTokenRequest request) {
        return servers.one
                .authenticator()
                .authenticate(servers.one.create(request).secret().text())
                .orElseThrow();
    }

    private TokenPrincipal holder(String... policies) {
        return holder(AccessTokenRequest.of("ann", List.of(policies)));
    }

    private void second() {
        servers.time.advance(AccessPolicies.RELOAD_INTERVAL);
    }

    /** A wildcard, or a character that stands for itself. */
    private record Symbol(boolean wildcard, char character) {
        static Symbol random(Random random) {
            String characters = "ab.+?()[]{}^$|\\\"# -*ü";
            return new Symbol(random.nextInt(4) == 0, characters.charAt(random.nextInt(characters.length())));
        }
    }

    private record ModelRule(Optional<List<Symbol>> pattern, boolean allow, List<Permission> permissions) {
        static ModelRule random(Random random) {
            boolean namespaced = random.nextInt(3) > 0;
            List<Permission> permissions = new ArrayList<>(List.of(Permission.values()));
            permissions.removeIf(permission -> permission.namespaced() != namespaced || random.nextBoolean());
            if (permissions.isEmpty()) {
                permissions.add(namespaced ? Permission.VOLUME_LIST : Permission.PLUGIN_LIST);
            }
            return new ModelRule(
                    namespaced
                            ? Optional.of(IntStream.rangeClosed(0, random.nextInt(4))
                                    .mapToObj(i -> Symbol.random(random))
                                    .toList())
                            : Optional.empty(),
                    random.nextInt(3) > 0,
                    permissions);
        }

        String line() {
            StringBuilder line = new StringBuilder();
            pattern.ifPresentOrElse(
                    symbols -> {
                        line.append("namespace \"");
                        for (Symbol symbol : symbols) {
                            line.append(
                                    symbol.wildcard()
                                            ? "*"
                                            : "\"\\*".indexOf(symbol.character()) >= 0
                                                    ? "\\" + symbol.character()
                                                    : String.valueOf(symbol.character()));
                        }
                        line.append('"');
                    },
                    () -> line.append("cluster"));
            line.append(allow ? " allow" : " deny");
            permissions.forEach(permission -> line.append(' ').append(permission));
            return line.toString();
        }

        boolean applies(Access access) {
            return permissions.contains(access.permission())
                    && pattern.map(symbols -> matches(
                                    symbols, access.namespace().orElseThrow().value()))
                            .orElse(true);
        }

        private static boolean matches(List<Symbol> symbols, String text) {
            if (symbols.isEmpty()) {
                return text.isEmpty();
            }
            List<Symbol> rest = symbols.subList(1, symbols.size());
            if (symbols.get(0).wildcard()) {
                return IntStream.rangeClosed(0, text.length()).anyMatch(i -> matches(rest, text.substring(i)));
            }
            return !text.isEmpty() && text.charAt(0) == symbols.get(0).character() && matches(rest, text.substring(1));
        }
    }

    private static String randomNamespace(Random random, List<ModelRule> rules) {
        // Most are made from a pattern, so that many rules apply.
        List<Symbol> symbols =
                rules.get(random.nextInt(rules.size())).pattern().orElse(List.of(new Symbol(false, 'a')));
        StringBuilder text = new StringBuilder();
        for (Symbol symbol : symbols) {
            for (int i = symbol.wildcard() ? random.nextInt(3) : 1; i > 0; i--) {
                text.append(
                        symbol.wildcard() || random.nextInt(12) == 0
                                ? Symbol.random(random).character()
                                : symbol.character());
            }
        }
        return text.isEmpty() ? "a" : text.toString();
    }

    @Test
    void denyBeatsAllowInAnyOrderOverAllPolicies() throws IOException {
        long seed = Long.getLong("csi4j.seed", 1);
        System.out.println("AccessPoliciesTest: seed " + seed + " (-Dcsi4j.seed=" + seed + " repeats it)");
        Random random = new Random(seed);
        write("p0.policy");
        AccessPolicies policies = open();
        int allowed = 0;
        int overruled = 0;
        List<Permission> permissions = List.of(Permission.values());
        int none = 0;
        for (int round = 0; round < 300; round++) {
            List<ModelRule> rules = IntStream.rangeClosed(0, random.nextInt(6))
                    .mapToObj(i -> ModelRule.random(random))
                    .toList();
            int files = 1 + random.nextInt(3);
            TokenPrincipal ann =
                    holder(IntStream.range(0, files).mapToObj(i -> "p" + i).toArray(String[]::new));
            List<List<Boolean>> answers = new ArrayList<>();
            List<Access> asked = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Permission permission = permissions.get(random.nextInt(permissions.size()));
                asked.add(
                        permission.namespaced()
                                ? Access.in(Namespace.of(randomNamespace(random, rules)), permission)
                                : Access.of(permission));
            }
            for (int order = 0; order < 3; order++) {
                List<List<String>> lines = IntStream.range(0, files)
                        .<List<String>>mapToObj(i -> new ArrayList<>())
                        .toList();
                List<ModelRule> shuffled = new ArrayList<>(rules);
                Collections.shuffle(shuffled, random);
                shuffled.forEach(rule -> lines.get(random.nextInt(files)).add(rule.line()));
                for (int i = 0; i < files; i++) {
                    write("p" + i + ".policy", lines.get(i).toArray(String[]::new));
                }
                policies.reload();
                assertThat(policies.problems()).isEmpty();
                answers.add(asked.stream()
                        .map(access -> policies.allows(ann, access))
                        .toList());
            }
            List<Boolean> expected = new ArrayList<>();
            for (Access access : asked) {
                boolean allow = rules.stream().anyMatch(rule -> rule.allow() && rule.applies(access));
                boolean deny = rules.stream().anyMatch(rule -> !rule.allow() && rule.applies(access));
                expected.add(allow && !deny);
                allowed += allow && !deny ? 1 : 0;
                overruled += allow && deny ? 1 : 0;
                none += allow || deny ? 0 : 1;
            }
            assertThat(answers).as("%s%n%s", rules, asked).containsOnly(expected);
        }
        assertThat(List.of(allowed, overruled, none)).allMatch(count -> count > 100);
    }

    @Test
    void managementTokenMayDoEverythingAndOtherCallersAreDecidedByTheHost() throws IOException {
        write("none.policy", "namespace * deny all", "cluster deny all");
        AccessPolicies policies = open((caller, access) -> caller.getName().equals("host"));
        TokenPrincipal root = holder(AccessTokenRequest.management("root"));
        // The name of a token is not that of a caller of the host.
        TokenPrincipal sly = holder(AccessTokenRequest.of("host", List.of("none")));
        for (Permission permission : Permission.values()) {
            Access access = permission.namespaced() ? Access.in(Namespace.of("a"), permission) : Access.of(permission);
            assertThat(policies.allows(root, access)).isTrue();
            assertThat(policies.allows(sly, access)).isFalse();
            assertThat(policies.allows((Principal) () -> "host", access)).isTrue();
            assertThat(policies.allows((Principal) () -> "root", access)).isFalse();
        }
    }

    @Test
    void revokedAndExpiredTokensMayDoNothing() throws IOException {
        write("a.policy", "namespace team-a allow read");
        AccessPolicies policies = open();
        TokenPrincipal root = holder(AccessTokenRequest.management("root"));
        TokenPrincipal ann = holder(AccessTokenRequest.of("ann", List.of("a"))
                .expiringAt(servers.time.instant().plusSeconds(60)));
        assertThat(policies.allows(ann, LIST_A)).isTrue();
        servers.time.advance(Duration.ofSeconds(60));
        assertThat(policies.allows(ann, LIST_A)).isFalse();
        assertThat(policies.allows(root, LIST_A)).isTrue();
        servers.done(servers.two.lifecycle.accessTokens().revoke(root.id()));
        assertThat(policies.allows(root, LIST_A)).isFalse();
    }

    @Test
    void changedFilesAreUsedAfterASecond() throws IOException {
        write("a.policy", "namespace team-a allow read");
        AccessPolicies policies = open();
        TokenPrincipal ann = holder("a");
        assertThat(policies.allows(ann, WRITE_A)).isFalse();
        // Neither the size nor the time of the file changes.
        var time = Files.getLastModifiedTime(directory.resolve("a.policy"));
        write("a.policy", "namespace team-a allow all ");
        Files.setLastModifiedTime(directory.resolve("a.policy"), time);
        servers.time.advance(AccessPolicies.RELOAD_INTERVAL.minusNanos(1));
        assertThat(policies.allows(ann, WRITE_A)).isFalse();
        servers.time.advance(Duration.ofNanos(1));
        assertThat(policies.allows(ann, WRITE_A)).isTrue();
        write("a.policy", "namespace team-b allow all ");
        second();
        assertThat(policies.allows(ann, LIST_A)).isFalse();
        policies.close();
        write("a.policy", "namespace team-a allow all ");
        second();
        assertThat(policies.allows(ann, LIST_A))
                .as("the policies of a closed one stay")
                .isFalse();
        assertThat(servers.time.timers()).isZero();
    }

    @Test
    void tokenWithAMissingPolicyMayDoNothing() throws IOException {
        write("a.policy", "namespace * allow all");
        write("limits.policy", "namespace team-a deny VOLUME_WRITE");
        AccessPolicies policies = open();
        TokenPrincipal ann = holder("a", "limits");
        assertThat(policies.allows(ann, LIST_A)).isTrue();
        assertThat(policies.allows(ann, WRITE_A)).isFalse();
        assertThat(policies.missing(ann.token().orElseThrow().request())).isEmpty();
        Files.delete(directory.resolve("limits.policy"));
        second();
        assertThat(policies.allows(ann, WRITE_A)).isFalse();
        assertThat(policies.allows(ann, LIST_A)).isFalse();
        assertThat(policies.missing(ann.token().orElseThrow().request())).containsExactly("limits");
        assertThat(policies.names()).containsExactly("a");
        assertThat(policies.problems()).isEmpty();
    }

    @Test
    void badFileKeepsItsPolicyAndIsNamedOnceInTheLog() throws IOException {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        Logger logger = Logger.getLogger(PolicyDirectory.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getLevel().getName().equals("WARNING")
                        && line.getMessage().contains("namespace-of-this-test")) {
                    lines.add(line.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            write("a.policy", "namespace team-a allow read");
            write("b.policy", "namespace team-a allow VOLUME_WRITE");
            AccessPolicies policies = open();
            TokenPrincipal ann = holder("a", "b");
            write("a.policy", "namespace team-b allow read", "namespace-of-this-test team-c");
            write("b.policy", "namespace team-b allow VOLUME_WRITE");
            second();
            String expected = "a.policy:2: begins with 'namespace-of-this-test'; write ";
            assertThat(policies.problems())
                    .singleElement()
                    .extracting(PolicyProblem::toString)
                    .asString()
                    .startsWith(expected);
            assertThat(policies.allows(ann, LIST_A)).as("the last good policy").isTrue();
            assertThat(policies.allows(ann, WRITE_A)).as("other files change").isFalse();
            second();
            second();
            assertThat(lines).singleElement().asString().contains("cannot be used", expected);
            write("a.policy", "namespace team-b allow read");
            second();
            assertThat(policies.problems()).isEmpty();
            assertThat(policies.allows(ann, LIST_A)).isFalse();
            write("a.policy", "namespace team-b allow read", "namespace-of-this-test team-c");
            second();
            assertThat(lines).as("the problem has come back").hasSize(2);
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void startFailsWithAllProblems() throws IOException {
        write("a.policy", "namespace team-a allow read", "x");
        write("b.policy", "cluster allow VOLUME_READ");
        write("c d.policy", "");
        write("ok.policy", "cluster allow read");
        write("notes.txt", "no policy");
        write(".a.policy", "a file of an editor");
        Files.createDirectory(directory.resolve("e.policy"));
        Files.createSymbolicLink(directory.resolve("f.policy"), directory.resolve("none"));
        Files.write(directory.resolve("g.policy"), new byte[PolicyDirectory.MOST_BYTES + 1]);
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        PolicyException.class,
                        e -> assertThat(e.problems())
                                .extracting(problem -> problem.file() + ":" + problem.line())
                                .containsExactly(
                                        "a.policy:2",
                                        "b.policy:1",
                                        "c d.policy:0",
                                        "e.policy:0",
                                        "f.policy:0",
                                        "g.policy:0"))
                .hasMessageContainingAll(
                        "a.policy:2: begins with 'x'",
                        "c d.policy: has a name that no token can have",
                        "e.policy: cannot be read (IOException: it is no regular file)",
                        "f.policy: is a link to a missing file",
                        "g.policy: cannot be read (IOException: it has more than 1048576 bytes)")
                .hasMessageNotContaining("notes")
                .hasMessageNotContaining("editor");
        assertThat(servers.time.timers()).isZero();
        assertThatThrownBy(() -> AccessPolicies.open(
                        directory.resolve("none"), servers.time.environment(new Random(1)), AccessControl.off()))
                .isInstanceOf(PolicyException.class)
                .hasMessageContaining(directory.resolve("none") + ": cannot be listed (NoSuchFileException");
    }

    @Test
    void linksToFilesAreFollowed() throws IOException {
        Path elsewhere = Files.createDirectory(directory.resolve("data"));
        Files.writeString(elsewhere.resolve("text"), "namespace team-a allow read");
        Files.createSymbolicLink(directory.resolve("a.policy"), elsewhere.resolve("text"));
        assertThat(open().allows(holder("a"), LIST_A)).isTrue();
    }

    @Test
    void directoryThatCannotBeListedKeepsAllPolicies() throws IOException {
        write("a.policy", "namespace team-a allow read");
        AccessPolicies policies = open();
        TokenPrincipal ann = holder("a");
        Path away = directory.resolveSibling(directory.getFileName() + "-away");
        Files.move(directory, away);
        second();
        assertThat(policies.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.file()).isEqualTo(directory.toString());
            assertThat(problem.problem()).startsWith("cannot be listed");
        });
        assertThat(policies.allows(ann, LIST_A)).isTrue();
        Files.move(away, directory);
        second();
        assertThat(policies.problems()).isEmpty();
        assertThat(policies.allows(ann, LIST_A)).isTrue();
    }

    @Test
    void tooManyFilesKeepAllPolicies() throws IOException {
        write("a.policy", "namespace team-a allow read");
        AccessPolicies policies = open();
        TokenPrincipal ann = holder("a");
        write("a.policy", "namespace team-a deny read");
        for (int i = 0; i < PolicyDirectory.MOST_FILES; i++) {
            write("p" + i + ".policy", "");
        }
        second();
        assertThat(policies.problems()).extracting(PolicyProblem::problem).containsExactly("has 1001 policy files");
        assertThat(policies.allows(ann, LIST_A)).isTrue();
        Files.delete(directory.resolve("p0.policy"));
        second();
        assertThat(policies.allows(ann, LIST_A)).isFalse();
    }

    /** Three threads ask while a fourth one changes the only policy between two that both allow something. */
    @Test
    void policiesChangeAsAWholeWhileTheyAreUsed() throws Exception {
        String first = "namespace team-a allow all\nnamespace team-a deny VOLUME_WRITE\n";
        String second = "namespace team-a allow VOLUME_LIST\n";
        Files.writeString(directory.resolve("a.policy"), first);
        AccessPolicies policies = open();
        TokenPrincipal ann = holder("a");
        var stop = new AtomicBoolean();
        var asked = new CountDownLatch(3);
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(CompletableFuture.runAsync(() -> {
                do {
                    assertThat(policies.allows(ann, LIST_A)).isTrue();
                    assertThat(policies.allows(ann, WRITE_A)).isFalse();
                    asked.countDown();
                } while (!stop.get());
            }));
        }
        asked.await();
        for (int i = 0; i < 300; i++) {
            Path next = directory.resolve("next");
            Files.writeString(next, i % 2 == 0 ? second : first);
            Files.move(next, directory.resolve("a.policy"), StandardCopyOption.ATOMIC_MOVE);
            policies.reload();
        }
        stop.set(true);
        for (var reader : readers) {
            reader.get(30, TimeUnit.SECONDS);
        }
    }
}
