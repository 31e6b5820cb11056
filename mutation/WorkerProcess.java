import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;

/** A process that runs {@link Worker}; another one is started when it has ended. */
final class WorkerProcess implements AutoCloseable {
    private static final List<String> OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+EnableDynamicAgentLoading",
            "-XX:-OmitStackTraceInFastThrow",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-XX:+ExitOnOutOfMemoryError",
            // Java 17 crashes now and then in a class that was replaced.
            "-XX:ErrorFile=" + System.getProperty("java.io.tmpdir") + "/csi4j-mutation-%p.log",
            "-Xmx1g",
            "-Dcsi4j.node.runs=2",
            "-Dcsi4j.node.stride=37");

    private final List<String> command = new ArrayList<>();
    private Process process;
    private ObjectOutputStream jobs;
    private ObjectInputStream answers;

    /**
     * @param lines the number of lines with probes
     * @param directories those of the classes of the module
     */
    WorkerProcess(String classPath, int lines, List<String> directories) {
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(OPTIONS);
        command.add("-javaagent:" + Worker.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        command.addAll(List.of("-Dlines=" + lines, "-cp", classPath, "Worker"));
        command.addAll(directories);
    }

    Worker.Attempted attempt(Worker.Attempt job) throws Exception {
        Worker.Attempted answer = (Worker.Attempted) ask(job);
        if (answer.last()) {
            close();
        }
        return answer;
    }

    /**
     * Returns the answer to the job.
     *
     * @throws Ended if the process ended instead
     */
    Object ask(Object job) throws Exception {
        try {
            if (process == null) {
                process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                jobs = new ObjectOutputStream(process.getOutputStream());
                answers = new ObjectInputStream(process.getInputStream());
            }
            jobs.writeObject(job);
            jobs.reset();
            jobs.flush();
            return answers.readObject();
        } catch (IOException e) {
            int code = process.waitFor();
            close();
            throw new Ended(code == Worker.TOO_LONG, e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
            process = null;
        }
    }

    static final class Ended extends Exception {
        private static final long serialVersionUID = 1L;

        final boolean tooLong;

        Ended(boolean tooLong, IOException cause) {
            super("The process of the tests ended", cause);
            this.tooLong = tooLong;
        }
    }
}
