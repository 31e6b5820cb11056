package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A command of a program that destroys, among those of the shell. */
class DestroyingCommandTest {
    private final Shell shell = Shell.ofThings();
    private final Fence fence = new Fence();

    @Command(name = "fence", mixinStandardHelpOptions = true, description = "Switches a node off.")
    static final class Fence implements Callable<Integer> {
        @Parameters(paramLabel = "NODE")
        private String node = "";

        private int runs;

        @Override
        public Integer call() {
            runs++;
            return node.equals("broken") ? 7 : 0;
        }
    }

    private int run(String... arguments) {
        Csi.Addition addition = new Csi.Addition("node", fence, true);
        return new Csi(List.of(addition), Shell.things()).run(shell.context(), arguments);
    }

    @Test
    void withoutTerminalItNeedsYes() {
        assertThat(run("node", "fence", "n1")).isEqualTo(Csi.USAGE);
        assertThat(shell.errors())
                .contains("'csi node fence n1' destroys, and there is no terminal to ask; repeat it with --yes");
        assertThat(fence.runs).isZero();
        assertThat(run("node", "fence", "n1", "--yes")).isZero();
        assertThat(run("node", "fence", "broken", "--yes")).isEqualTo(7);
        assertThat(fence.runs).isEqualTo(2);
    }

    @Test
    void atTerminalItRunsAfterYesOnly() {
        shell.inIsTerminal = true;
        for (String no : new String[] {"", "y\n", "no\nyes\n"}) {
            shell.input = no;
            assertThat(run("node", "fence", "n1")).isEqualTo(Csi.FAILED);
        }
        assertThat(shell.errors())
                .contains(
                        "csi node fence n1: Switches a node off. Type yes to do it: ",
                        "not confirmed, so nothing was done");
        assertThat(fence.runs).isZero();
        shell.input = "yes\n";
        assertThat(run("node", "fence", "n1")).isZero();
        assertThat(fence.runs).isEqualTo(1);
    }

    @Test
    void helpAndWrongArgumentsDoNotAsk() {
        assertThat(run("node", "fence", "--help")).isZero();
        assertThat(shell.output()).contains("--yes", "Does not ask before it destroys.");
        assertThat(run("node", "fence")).isEqualTo(Csi.USAGE);
        assertThat(shell.errors())
                .contains("Missing required parameter: 'NODE'")
                .doesNotContain("destroys");
        assertThat(fence.runs).isZero();
    }
}
