package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.WorkloadOwner;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell with the server that it is made for. */
class AdminShellTest {
    private final Shell shell = new Shell();

    private int run(AdminRig rig, String... arguments) {
        shell.environment.put("CSI_ADDRESS", rig.admin.uri().toString());
        return shell.run(arguments);
    }

    @Test
    void listFollowsItsPages() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            rig.volumes(2500);
            assertThat(run(rig, "volume", "list")).as(shell.errors()).isZero();
            assertThat(shell.output().lines()).hasSize(2501);
            assertThat(shell.output().lines().findFirst().orElseThrow()).startsWith("NAMESPACE  VOLUME");
            assertThat(shell.output()).contains("v000000", "v002499", "10.0 GiB");
            shell.out.getBuffer().setLength(0);
            assertThat(run(rig, "volume", "list", "--limit", "1500", "--json")).isZero();
            JsonObject list = JsonParser.parseString(shell.output()).getAsJsonObject();
            assertThat(list.getAsJsonArray("items")).hasSize(1500);
            assertThat(list.getAsJsonArray("items")
                            .get(1499)
                            .getAsJsonObject()
                            .get("capacityBytes")
                            .getAsLong())
                    .isEqualTo(10L << 30);
            shell.out.getBuffer().setLength(0);
            assertThat(run(rig, "volume", "list", "--prefix", "v00000", "--plugin", "disk"))
                    .isZero();
            assertThat(shell.output().lines()).hasSize(11);
            shell.out.getBuffer().setLength(0);
            assertThat(run(rig, "volume", "list", "--namespace", "none")).isZero();
            assertThat(shell.output()).isEqualTo("none\n");
        }
    }

    @Test
    void refusalOfTheServerIsShown() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            assertThat(run(rig, "volume", "list", "--namespace", "")).isEqualTo(Csi.USAGE);
            assertThat(shell.errors()).contains("namespace");
        }
    }

    @Test
    void claimBeginsTheCreationOfItsVolume() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            rig.node("n1");
            String access = "accessMode=single-node-writer";
            assertThat(run(rig, "class", "put", "fast", "--plugin", "disk", "--requested-capability", access))
                    .as(shell.errors())
                    .isZero();
            rig.lifecycle
                    .cluster()
                    .allocationStarted(AllocationId.of("web-1"), Namespace.of("default"), NodeId.of("n1"))
                    .get(20, TimeUnit.SECONDS);
            assertThat(run(
                            rig,
                            "claim",
                            "request",
                            "web-1",
                            "--volume",
                            "namespace=default,volume=db,mode=write," + access
                                    + ",class=fast,requiredBytes=2MiB,lifetime=workload,workload=web,incarnation=3"))
                    .as(shell.errors())
                    .isZero();
            // The plugin of this rig never makes a volume.
            await(() ->
                    rig.store.snapshot().volume(VolumeKey.of("default", "db")).isPresent());
            Volume made =
                    rig.store.snapshot().volume(VolumeKey.of("default", "db")).orElseThrow();
            assertThat(made.owner()).contains(new VolumeOwner.OfWorkload(WorkloadOwner.of("web", 3), Optional.empty()));
            assertThat(made.spec().capacityRange()).contains(CapacityRange.atLeast(2 << 20));
        }
    }

    @Test
    void volumeClassIsPutShownUsedAndRemoved() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            assertThat(run(
                            rig,
                            "class",
                            "put",
                            "fast",
                            "--plugin",
                            "disk",
                            "--requested-capability",
                            "accessMode=single-node-writer",
                            "--least",
                            "1GiB",
                            "--greatest",
                            "100GiB",
                            "--parameter",
                            "tier=s3cret",
                            "--reclaim",
                            "retain",
                            "--namespace",
                            "default"))
                    .as(shell.errors())
                    .isZero();
            assertThat(run(rig, "class", "list", "--namespace", "default")).isZero();
            assertThat(shell.output())
                    .containsSubsequence("CLASS", "PLUGIN", "LEAST", "GREATEST")
                    .containsSubsequence("fast", "disk", "AT_CREATION", "RETAIN", "1.0 GiB", "100.0 GiB", "default");
            assertThat(run(rig, "class", "status", "fast")).isZero();
            assertThat(shell.output()).contains("fast").doesNotContain("s3cret");
            assertThat(run(
                            rig,
                            "volume",
                            "create",
                            "default",
                            "db",
                            "--class",
                            "fast",
                            "--capacity-range.required",
                            "200GiB",
                            "--dry-run"))
                    .isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("the greatest size of the class is 100 GiB");
            assertThat(run(rig, "class", "remove", "fast", "--yes")).isZero();
            assertThat(run(rig, "class", "list")).isZero();
            assertThat(shell.output()).endsWith("none\n");
        }
    }

    @Test
    void unixSocketIsAnAddress(@TempDir Path directory) throws Exception {
        try (AdminRig rig = new AdminRig(builder -> builder.listen(directory.resolve("csi.sock")))) {
            rig.volumes(1200);
            assertThat(run(rig, "volume", "list")).as(shell.errors()).isZero();
            assertThat(shell.environment.get("CSI_ADDRESS")).startsWith("unix:/");
            assertThat(shell.output().lines()).hasSize(1201);
        }
        shell.environment.put("CSI_ADDRESS", "unix:" + directory.resolve("csi.sock"));
        assertThat(shell.run("volume", "list")).isEqualTo(Csi.UNREACHABLE);
    }

    @Test
    void programReadsAnswersAndIsAskedNothing() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            rig.volumes(2);
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            Csi csi = Csi.builder()
                    .environment(Map.of("CSI_ADDRESS", rig.admin.uri().toString(), "HOME", "/nowhere"))
                    .output(new PrintWriter(out), new PrintWriter(err))
                    .build();
            assertThat(csi.run("volume", "list", "--json")).as(err.toString()).isZero();
            assertThat(JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("items"))
                    .hasSize(2);
            out.getBuffer().setLength(0);
            assertThat(csi.run("volume", "deregister", "default", "v000000")).isEqualTo(Csi.USAGE);
            assertThat(err.toString()).contains("there is no terminal to ask; repeat it with --yes");
            assertThat(out.toString()).isEmpty();
        }
    }

    @Test
    void tokenAndCertificateAreChecked(@TempDir Path directory) throws Exception {
        Path store = directory.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=csi",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String printed = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(printed).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "secret".toCharArray());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        Path ca = Files.writeString(
                directory.resolve("ca.pem"),
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getCertificate("server").getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        try (AdminRig rig =
                new AdminRig(builder -> builder.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .tls(tls)
                        .authenticator(token -> token.equals("right") ? Optional.of(() -> "ada") : Optional.empty()))) {
            rig.volumes(1);
            shell.environment.put("CSI_TOKEN", "right");
            assertThat(run(rig, "volume", "list", "--timeout", "0")).isEqualTo(Csi.UNREACHABLE);
            assertThat(shell.errors()).contains("no server serves the request", "its certificate is not trusted");
            assertThat(run(rig, "volume", "list", "--ca", ca.toString()))
                    .as(shell.errors())
                    .isZero();
            assertThat(shell.output()).contains("v000000");
            shell.environment.put("CSI_CA", ca.toString());
            // The certificate names only the address.
            String byName = rig.admin.uri().toString().replace("127.0.0.1", "localhost");
            assertThat(run(rig, "volume", "list", "--timeout", "0", "--address", byName))
                    .isEqualTo(Csi.UNREACHABLE);
            Path token = Files.writeString(directory.resolve("token"), "wrong\n");
            assertThat(run(rig, "volume", "list", "--token-file", token.toString()))
                    .isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("the token is not valid").doesNotContain("wrong\n");
            shell.environment.remove("CSI_TOKEN");
            assertThat(run(rig, "volume", "list")).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("no valid token came with the request");
        }
    }

    @Test
    void watchedListIsPrintedAgainWhenItChanges() throws Exception {
        for (boolean terminal : new boolean[] {false, true}) {
            Shell watcher = new Shell();
            watcher.outIsTerminal = terminal;
            watcher.environment.put("NO_COLOR", "1");
            watcher.environment.put("LINES", "5");
            watcher.environment.put("COLUMNS", "100");
            try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
                rig.volumes("a", 1);
                watcher.environment.put("CSI_ADDRESS", rig.admin.uri().toString());
                int[] code = new int[1];
                Thread thread = new Thread(() -> code[0] = watcher.run("volume", "list", "--watch"));
                thread.start();
                await(() -> watcher.output().contains("a000000"));
                rig.volumes("b", 1);
                await(() -> watcher.output().contains("b000000"));
                rig.volumes("c", 1);
                String again = "NAMESPACE";
                await(() -> watcher.output().split(again, -1).length == 4);
                thread.interrupt();
                rig.volumes("d", 1);
                thread.join(TimeUnit.SECONDS.toMillis(20));
                assertThat(thread.isAlive()).isFalse();
                // Five rows of a terminal have place for two volumes.
                assertThat(watcher.output().contains("c000000")).isEqualTo(!terminal);
                assertThat(watcher.output().contains("\u001b[H\u001b[2J")).isEqualTo(terminal);
            }
        }
    }

    @Test
    void actionsAreDoneAndUndone() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            rig.node("n1");
            assertThat(run(
                            rig,
                            ("volume register default db --plugin disk --external-volume-id vol-1"
                                            + " --requested-capability accessMode=single-node-writer,attachmentMode=mount"
                                            + " --mount-options.fs-type ext4 --parameter tier=fast")
                                    .split(" ", -1)))
                    .as(shell.errors())
                    .isZero();
            shell.out.getBuffer().setLength(0);
            assertThat(run(rig, "volume", "status", "default", "db"))
                    .as(shell.errors())
                    .isZero();
            assertThat(shell.output()).contains("Volume ", "db").doesNotContain("fast");
            assertThat(run(rig, "search", "d")).as(shell.errors()).isZero();
            assertThat(run(rig, "node", "ready", "n2")).as(shell.errors()).isZero();
            assertThat(run(rig, "node", "list")).as(shell.errors()).isZero();
            assertThat(shell.output()).contains("n1", "n2");
            assertThat(run(rig, "operation", "list")).as(shell.errors()).isZero();
            assertThat(shell.output()).contains("volume register");
            assertThat(run(rig, "server", "health")).as(shell.errors()).isZero();
            assertThat(run(rig, "volume", "deregister", "default", "db", "--yes"))
                    .as(shell.errors())
                    .isZero();
            assertThat(run(rig, "volume", "status", "default", "db")).isEqualTo(Csi.FAILED);
            assertThat(run(rig, "volume", "detach", "default", "gone", "n1")).isEqualTo(Csi.FAILED);
        }
    }

    @Test
    void longActionIsFollowed() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            // No node has the plugin yet.
            int[] code = new int[1];
            shell.environment.put("CSI_ADDRESS", rig.admin.uri().toString());
            Thread thread = new Thread(() -> code[0] = shell.run("plugin", "wait", "disk", "--plugin-limit", "5m"));
            thread.start();
            await(() -> shell.errors().contains("csi plugin wait: RUNNING"));
            Shell other = new Shell();
            other.environment.put("CSI_ADDRESS", rig.admin.uri().toString());
            await(() -> other.run("operation", "list", "--json", "--state", "running") == 0
                    && other.output().contains("plugin wait"));
            String id = other.output().replaceAll("(?s).*\"id\":\"([^\"]+)\".*", "$1");
            assertThat(other.run("operation", "cancel", id)).as(other.errors()).isZero();
            thread.join(TimeUnit.SECONDS.toMillis(20));
            assertThat(thread.isAlive()).isFalse();
            assertThat(code[0]).isEqualTo(Csi.FAILED);
            assertThat(shell.errors()).contains("csi plugin wait: CANCELLED");
        }
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }
}
