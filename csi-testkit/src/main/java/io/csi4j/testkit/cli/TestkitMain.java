package io.csi4j.testkit.cli;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Starts one of the two programs of the testkit, by the name in the first argument. */
public final class TestkitMain {
    private static final int WRONG_ARGUMENTS = 2;
    private static final String USAGE = """
            Usage: java -jar csi-testkit-VERSION-cli.jar PROGRAM [OPTION ...]

              plugin       runs a strict fake CSI plugin
              conformance  checks a CSI plugin in any language against the specification

            PROGRAM --help lists the options of a program.
            """;

    private TestkitMain() {}

    /** The entry point; without arguments it lists the programs. */
    public static void main(String[] args) {
        int code = run(
                args,
                rest -> FakePluginMain.run(rest, System.getenv("CSI_ENDPOINT"), System.out, System.err),
                rest -> ConformanceMain.run(List.of(rest), System.out, System.err, ConformanceMain::stopOnSignal),
                System.out,
                System.err);
        System.exit(code);
    }

    static int run(
            String[] args,
            ToIntFunction<String[]> plugin,
            ToIntFunction<String[]> conformance,
            PrintStream out,
            PrintStream err) {
        @Nullable String program = args.length == 0 ? null : args[0];
        String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        if (program == null) {
            err.print(USAGE);
            return WRONG_ARGUMENTS;
        }
        switch (program) {
            case "plugin" -> {
                return plugin.applyAsInt(rest);
            }
            case "conformance" -> {
                return conformance.applyAsInt(rest);
            }
            case "--help", "-h" -> {
                out.print(USAGE);
                return 0;
            }
            default -> {
                err.print("There is no program '" + program + "'.\n" + USAGE);
                return WRONG_ARGUMENTS;
            }
        }
    }
}
