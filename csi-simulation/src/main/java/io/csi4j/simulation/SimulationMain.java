package io.csi4j.simulation;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs many simulations, or repeats one seed: {@code --seeds 1000000}, {@code --from 1}, {@code --workloads 24}. Exits with
 * 0 if all passed, 1 if a seed failed, and 2 if an option is wrong.
 */
public final class SimulationMain {
    private static final String USAGE = """
            Usage: simulate [--seeds N] [--from SEED] [--workloads N] [--node-volumes SHARE]

              --seeds N       how many simulations to run (10000)
              --from SEED     the first seed; a failing one runs again with --from SEED --seeds 1 (1)
              --workloads N   how many workloads there are in each (24)
              --node-volumes SHARE   the share of simulations with the real node side, 0 to 1 (a third)
            """;

    private SimulationMain() {}

    /**
     * Runs the simulations.
     *
     * @param args the options, see the class
     */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    private static int run(String[] args) {
        long seeds = 10_000;
        long from = 1;
        LifecycleSimulation.Builder options = LifecycleSimulation.builder();
        try {
            if (args.length == 1 && args[0].equals("--help")) {
                System.out.print(USAGE);
                return 0;
            }
            for (int i = 0; i < args.length; i += 2) {
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException(args[i] + " has no value");
                }
                String value = args[i + 1];
                switch (args[i]) {
                    case "--seeds" -> seeds = Long.parseLong(value);
                    case "--from" -> from = Long.parseLong(value);
                    case "--workloads" -> options.workloads(Integer.parseInt(value));
                    case "--node-volumes" -> options.nodeVolumesShare(Double.parseDouble(value));
                    default -> throw new IllegalArgumentException("there is no option " + args[i]);
                }
            }
        } catch (IllegalArgumentException e) {
            System.err.println("simulate: " + e.getMessage());
            System.err.print(USAGE);
            return 2;
        }
        return simulate(from, seeds, options.build());
    }

    private static int simulate(long from, long seeds, LifecycleSimulation simulation) {
        AtomicLong done = new AtomicLong();
        long progressInterval = Math.max(1, seeds / 20);
        SimulationSummary summary = simulation.runAll(from, seeds, report -> {
            long number = done.incrementAndGet();
            if (number % progressInterval == 0) {
                System.out.println(number + " of " + seeds + " simulations");
            }
        });
        if (summary.failure().isPresent()) {
            print(summary.failure().get());
            return 1;
        }
        System.out.println("Number of seeds with each event:");
        LifecycleSimulation.coverage()
                .forEach(event -> System.out.println(
                        "  " + event + ": " + summary.seedsByEvent().getOrDefault(event, 0L)));
        System.out.println("All " + seeds + " seeds from " + from + " passed: " + summary.calls() + " calls, "
                + summary.commands() + " commands.");
        return 0;
    }

    private static void print(SimulationReport report) {
        System.out.println(report);
        System.out.println(report.diagram());
        System.out.println("Run it again with --from " + report.seed() + " --seeds 1");
    }
}
