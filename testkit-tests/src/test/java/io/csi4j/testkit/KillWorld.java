package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The machine, the host's own knowledge of who uses what, and the two processes that are killed. */
final class KillWorld implements AutoCloseable {
    private static final List<String> VOLUMES = List.of("v", "w", "x");
    private static final List<String> ALLOCATIONS = List.of("a", "b", "c");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    int agentKills;
    int pluginKills;
    int mounted;
    private int unmounted;
    private final Path directory;
    private final Path base;
    private final Path socket;
    private final Path known;
    private final ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();
    private final Map<String, Volume> volumes = new LinkedHashMap<>();
    private final List<String> did = new ArrayList<>();
    /** Whom the agent told that the volume is there, with the mount's id; nobody has asked to unmount it since. */
    private final Map<String, String> living = new LinkedHashMap<>();
    /** The ids of stagings on which somebody has lived ever since. */
    private final Map<String, String> stagings = new LinkedHashMap<>();
    /** Who was asked to be mounted, or unmounted, and has no answer yet. */
    private final Set<String> coming = new LinkedHashSet<>();

    private final Set<String> going = new LinkedHashSet<>();
    private @Nullable FakePluginProcess plugin;
    private @Nullable AgentProcess agent;

    KillWorld(Path directory) throws Exception {
        this.directory = directory.toRealPath();
        this.base = this.directory.resolve("agent/volumes");
        this.socket = this.directory.resolve("csi.sock");
        this.known = this.directory.resolve("volumes.properties");
        Files.createDirectories(base);
        startPlugin(0);
        Properties properties = new Properties();
        try (PluginClient client = PluginClient.on("unix://" + socket)) {
            Walk walk = walk(client);
            for (String name : VOLUMES) {
                Volume volume = walk.create(name);
                volumes.put(name, volume);
                properties.setProperty(name + ".id", volume.getVolumeId());
                volume.getVolumeContextMap()
                        .forEach((key, value) -> properties.setProperty(name + ".volume." + key, value));
                walk.attach(volume, false)
                        .forEach((key, value) -> properties.setProperty(name + ".publish." + key, value));
            }
        }
        try (Writer file = Files.newBufferedWriter(known)) {
            properties.store(file, null);
        }
    }

    private static Walk walk(PluginClient client) {
        Walk walk = new Walk(client, "node-1");
        walk.mode = Mode.MULTI_NODE_MULTI_WRITER;
        return walk;
    }

    private void startPlugin(int checkpoint) {
        FakePluginProcessBuilder builder = FakePluginProcess.builder("unix://" + socket)
                .stateDir(directory.resolve("state"))
                .jvmArguments(ClassArchive.option());
        if (checkpoint > 0) {
            builder.jvmArguments("-Dcsi4j.fake.haltAtCheckpoint=" + checkpoint);
        }
        try {
            plugin = builder.start();
        } catch (IllegalStateException e) {
            // It reached its checkpoint while it put its own records in order.
            assertThat(checkpoint).as(e.getMessage()).isPositive();
            pluginKills++;
            startPlugin(0);
        }
    }

    private void startAgent(int checkpoint) throws Exception {
        agent = new AgentProcess(directory.resolve("agent"), socket, known, checkpoint);
        agent.awaitReady();
    }

    /** One round: work, deaths in the middle of it, a look at what they left, recovery, and a look at that. */
    void round(int number, RandomGenerator random) throws Exception {
        did.clear();
        int agentCheckpoint = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(60);
        int pluginCheckpoint = random.nextInt(3) != 0 ? 0 : 1 + random.nextInt(40);
        did.add("agent dies at checkpoint " + agentCheckpoint + ", plugin at " + pluginCheckpoint);
        AgentProcess worker = agent;
        if (worker == null || !worker.isAlive() || agentCheckpoint > 0) {
            stopAgent();
            startAgent(agentCheckpoint);
        }
        if (pluginCheckpoint > 0) {
            stopPlugin();
            startPlugin(pluginCheckpoint);
        }
        List<CompletableFuture<String>> answers = work(random);
        strike(number, random);
        await(answers);
        buryTheDead();
        noneLost();
        recover(random);
        allIsAsItShouldBe();
    }

    private List<CompletableFuture<String>> work(RandomGenerator random) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        int number = 3 + random.nextInt(7);
        for (int i = 0; i < number; i++) {
            String user = VOLUMES.get(random.nextInt(VOLUMES.size())) + " "
                    + ALLOCATIONS.get(random.nextInt(ALLOCATIONS.size()));
            if (!coming.contains(user) && !going.contains(user)) {
                answers.add(living.containsKey(user) ? unmount(user) : mount(user));
            }
        }
        return answers;
    }

    private CompletableFuture<String> mount(String user) {
        did.add("mount " + user);
        going.remove(user);
        coming.add(user);
        return send("mount " + user);
    }

    private CompletableFuture<String> unmount(String user) {
        did.add("unmount " + user);
        living.remove(user);
        coming.remove(user);
        going.add(user);
        String volume = user.split(" ", -1)[0];
        if (living.keySet().stream().noneMatch(other -> other.startsWith(volume + " "))) {
            stagings.remove(volume);
        }
        return send("unmount " + user);
    }

    private CompletableFuture<String> send(String command) {
        AgentProcess to = agent;
        return to == null ? CompletableFuture.completedFuture("died") : to.send(command);
    }

    /** At a moment that chance picks. Every third round the plugin dies for certain, in the others the agent. */
    private void strike(int number, RandomGenerator random) throws Exception {
        AgentProcess worker = agent;
        FakePluginProcess provider = plugin;
        long agentAt = random.nextLong(60_000);
        long pluginAt = random.nextLong(60_000);
        boolean both = random.nextInt(4) == 0;
        boolean pluginDies = number % 3 == 0;
        if (worker != null && (both || !pluginDies)) {
            did.add("the agent is killed after " + agentAt + " us");
            killer.schedule(worker::kill, agentAt, TimeUnit.MICROSECONDS).get(90, TimeUnit.SECONDS);
        }
        if (provider != null && (both || pluginDies)) {
            did.add("the plugin is killed after " + pluginAt + " us");
            killer.schedule(provider::killForcibly, pluginAt, TimeUnit.MICROSECONDS)
                    .get(90, TimeUnit.SECONDS);
            startPluginAgain();
        }
    }

    /** Meanwhile somebody starts the plugin again when it dies. */
    private void await(List<CompletableFuture<String>> answers) throws Exception {
        CompletableFuture<Void> all = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!all.isDone()) {
            FakePluginProcess provider = plugin;
            if (provider != null && !provider.isAlive()) {
                startPluginAgain();
            }
            try {
                all.get(50, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                assertThat(System.nanoTime()).as("no answer in time").isLessThan(end);
            }
        }
    }

    private void startPluginAgain() {
        pluginKills++;
        startPlugin(0);
    }

    /** Takes down what the agent told before it died, for only that counts. */
    private void buryTheDead() throws Exception {
        AgentProcess worker = agent;
        if (worker == null) {
            return;
        }
        if (!worker.isAlive()) {
            worker.awaitEnd();
            assertThat(worker.exitValue())
                    .as("ended by SIGKILL, %s", worker.said)
                    .isEqualTo(137);
            agentKills++;
        }
        heed(worker);
    }

    /** Takes over what the agent said. */
    private void heed(AgentProcess worker) throws Exception {
        MountIds ids = MountIds.below(base);
        for (String line : List.copyOf(worker.said)) {
            assertThat(line).as("no volume is unstaged while it is published").doesNotContain("still published");
            if (line.startsWith("failed ")) {
                throw new AssertionError(line);
            }
            if (line.startsWith("done mount ") && coming.remove(line.substring("done mount ".length()))) {
                String user = line.substring("done mount ".length());
                String[] words = user.split(" ", -1);
                mounted++;
                living.put(user, ids.at(target(user)));
                stagings.putIfAbsent(words[0], staging(ids, words[0]));
            }
            if (line.startsWith("done unmount ") && going.remove(line.substring("done unmount ".length()))) {
                unmounted++;
            }
        }
        worker.said.removeIf(line -> line.startsWith("done "));
    }

    private Path target(String user) {
        String[] words = user.split(" ", -1);
        return base.resolve("publish/ns").resolve(words[0]).resolve(words[1]);
    }

    private String staging(MountIds ids, String volume) {
        List<Path> stagingsOf = ids.within(base.resolve("staging/ns").resolve(volume));
        return stagingsOf.size() == 1 ? ids.at(stagingsOf.get(0)) : "not one staging but " + stagingsOf;
    }

    /** The mounts of who lives are the ones that were there when it was told so, and so is what they stand on. */
    private void noneLost() throws Exception {
        MountIds ids = MountIds.below(base);
        living.forEach((user, id) ->
                assertThat(ids.at(target(user))).as("the mount of " + user).isEqualTo(id));
        stagings.forEach((volume, id) ->
                assertThat(staging(ids, volume)).as("the staging of " + volume).isEqualTo(id));
    }

    /** The host starts what has died, and asks again for what it wants; the next death may come meanwhile. */
    private void recover(RandomGenerator random) throws Exception {
        for (boolean settled = false; !settled; ) {
            AgentProcess worker = agent;
            if (worker == null || !worker.isAlive()) {
                int checkpoint = random.nextInt(2) == 0 ? 1 + random.nextInt(12) : 0;
                did.add("a new agent, which dies at checkpoint " + checkpoint);
                startAgent(checkpoint);
            }
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (String user : List.copyOf(going)) {
                answers.add(unmount(user));
            }
            for (String user : List.copyOf(coming)) {
                // Who was not told that it has its volume may also be given up.
                answers.add(random.nextInt(3) == 0 ? unmount(user) : mount(user));
            }
            await(answers);
            buryTheDead();
            noneLost();
            AgentProcess now = agent;
            settled = now != null && now.isAlive() && going.isEmpty() && coming.isEmpty();
        }
    }

    private void allIsAsItShouldBe() throws Exception {
        noneLost();
        MountIds ids = MountIds.below(base);
        for (String volume : VOLUMES) {
            boolean used = living.keySet().stream().anyMatch(user -> user.startsWith(volume + " "));
            assertThat(ids.within(base.resolve("staging/ns").resolve(volume)))
                    .as("stagings of " + volume + " used by " + living.keySet())
                    .hasSize(used ? 1 : 0);
        }
        assertThat(ids.within(base.resolve("publish")))
                .as("only volumes in use are published")
                .containsExactlyInAnyOrderElementsOf(
                        living.keySet().stream().map(this::target).toList());
        for (String user : living.keySet()) {
            String volume = user.split(" ", -1)[0];
            Path file = target(user).resolve("of");
            if (Files.notExists(file)) {
                Files.writeString(file, volume);
            }
            assertThat(file).hasContent(volume);
        }
    }

    /**
     * All users go, and the provider agrees that nothing is left. Either process may still have a checkpoint before it
     * at which it dies, and this may be where it comes to it.
     */
    void end(RandomGenerator random) throws Exception {
        did.clear();
        did.add("the end");
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (String user : List.copyOf(living.keySet())) {
            answers.add(unmount(user));
        }
        await(answers);
        buryTheDead();
        recover(random);
        allIsAsItShouldBe();
        assertThat(MountIds.below(base).byPoint()).isEmpty();
        directoriesGo();
        stopPlugin();
        startPlugin(0);
        try (PluginClient client = PluginClient.on("unix://" + socket)) {
            Walk walk = walk(client);
            for (Volume volume : volumes.values()) {
                // Refused by the plugin while it has the volume staged or published.
                walk.detach(volume.getVolumeId());
                walk.delete(volume.getVolumeId());
            }
        }
    }

    /** Right after who waited for an unmount was told of it. */
    private void directoriesGo() throws IOException {
        long begin = System.nanoTime();
        List<Path> left = directories();
        while (!left.isEmpty()
                && System.nanoTime() - begin < Duration.ofSeconds(30).toNanos()) {
            Thread.onSpinWait();
            left = directories();
        }
        assertThat(left).isEmpty();
    }

    private List<Path> directories() throws IOException {
        List<Path> all = new ArrayList<>();
        for (String root : List.of("staging", "publish")) {
            try (Stream<Path> files = Files.list(base.resolve(root))) {
                files.forEach(all::add);
            }
        }
        return all;
    }

    private void stopAgent() {
        AgentProcess worker = agent;
        if (worker != null && worker.isAlive()) {
            worker.kill();
            agentKills++;
        }
    }

    private void stopPlugin() {
        FakePluginProcess provider = plugin;
        if (provider != null) {
            provider.close();
        }
    }

    String did() {
        return did + ", living " + living + ", coming " + coming + ", going " + going;
    }

    String said() {
        return "the agent: " + (agent == null ? "" : agent.said) + "\nthe plugin: "
                + (plugin == null ? "" : plugin.output());
    }

    String tally() {
        return agentKills + " kills of the agent, " + pluginKills + " of the plugin, " + mounted + " mounts, "
                + unmounted + " unmounts; none lost, none leaked, none unstaged early";
    }

    @Override
    public void close() {
        killer.shutdownNow();
        AgentProcess worker = agent;
        if (worker != null) {
            worker.endOfInput();
        }
        stopPlugin();
    }
}
