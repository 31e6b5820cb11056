package io.csi4j.core.call;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps docs/call-discipline.md as the rules are. {@code -Dcsi4j.docs.write=true} writes it anew. */
class CallDisciplineTableTest {
    private static final Path PAGE = Path.of("..", "docs", "call-discipline.md");

    private final StringBuilder page = new StringBuilder();

    @Test
    void thePageShowsTheRules() throws IOException {
        page.append("""
                # The discipline of calls

                Written by `CallDisciplineTableTest` from `CallRules.defaults()`; do not edit. Write it anew with
                `mvn -pl csi-core -am -Dtest=CallDisciplineTableTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.docs.write=true verify`.

                What an outcome means is in [client.md](client.md), what an R number says in [rules.md](rules.md).

                - **HERE**: the client repeats the call, with the same fields, after a pause, within the call's deadline.
                - **ELSEWHERE**: this instance is at fault; who knows of another instance of the plugin asks that one.
                - **NEVER**: the failure goes to the caller at once.

                ## How each RPC is called

                | discipline | RPCs | |
                |---|---|---|
                """);
        for (Discipline discipline : Discipline.values()) {
            page.append("| %s | %s | %s |\n"
                    .formatted(
                            discipline,
                            Stream.of(Rpc.values())
                                    .filter(rpc -> Discipline.of(rpc) == discipline)
                                    .map(Rpc::csiName)
                                    .collect(joining(", ")),
                            discipline.summary()));
        }
        Stream.of(Rpc.values()).forEach(this::table);
        if (Boolean.getBoolean("csi4j.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/call-discipline.md is out of date; write it with -Dcsi4j.docs.write=true and look at it")
                .isEqualTo(page.toString());
    }

    private void table(Rpc rpc) {
        page.append("\n## ").append(rpc.csiName()).append("\n\n");
        page.append(Discipline.of(rpc)).append(", ").append(rpc.service().csiName());
        rpc.opposite().ifPresent(opposite -> page.append("; its opposite is ").append(opposite.csiName()));
        page.append(".\n\n| code | outcome | repeated | because |\n|---|---|---|---|\n");
        for (StatusCode code : StatusCode.values()) {
            row(rpc, code, false);
            if (rpc.paged() && code == StatusCode.ABORTED) {
                row(rpc, code, true);
            }
        }
    }

    private void row(Rpc rpc, StatusCode code, boolean token) {
        CallRule rule = CallRules.defaults().of(rpc, code, token);
        page.append("| %s%s | %s | %s | %s |\n"
                .formatted(code, token ? " to a token" : "", rule.outcome(), rule.repeat(), rule.reason()));
    }
}
