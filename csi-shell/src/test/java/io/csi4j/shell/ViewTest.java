package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers as people see them. */
class ViewTest {
    private static final String THING = "{\"id\":\"a\",\"phase\":\"READY\",\"capacityBytes\":10737418240,"
            + "\"since\":\"2026-01-01T11:00:00Z\",\"note\":\"fine\",\"labels\":{\"x\":\"1\",\"y\":\"2\"},"
            + "\"parts\":[{\"name\":\"p1\"},{\"name\":\"p2\"}],\"part\":{\"name\":\"p3\"},\"newField\":true}";

    private final Shell shell = Shell.ofThings();

    @BeforeEach
    void run() {
        shell.environment.put("TERM", "xterm");
    }

    private String shown(String body, String... arguments) throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.json(200, body, "Csi-Index: 7"))) {
            shell.environment.put("CSI_ADDRESS", server.address());
            assertThat(shell.run(arguments)).as(shell.errors()).isZero();
            return shell.output();
        }
    }

    private static String list(String... items) {
        return "{\"index\":7,\"items\":[" + String.join(",", items) + "]}";
    }

    @Test
    void objectIsLinesAndTables() throws Exception {
        assertThat(shown(THING, "thing", "status", "default", "a")).isEqualTo("""
                Id         a
                Phase      READY
                Capacity   10.0 GiB
                Since      2026-01-01T11:00:00Z (1 h ago)
                Note       fine
                Labels     x=1, y=2
                New field  yes

                Parts
                  NAME
                  p1
                  p2

                Part
                  Name  p3
                """);
    }

    @Test
    void noteAboutAListIsForThePersonOnly() throws Exception {
        try (FakeServer server =
                FakeServer.of(FakeServer.json(200, list(), "Csi-Index: 7", "Csi-Note: the rest is elsewhere"))) {
            shell.environment.put("CSI_ADDRESS", server.address());
            assertThat(shell.run("thing", "list", "--json")).isZero();
            assertThat(shell.output()).doesNotContain("elsewhere");
            assertThat(shell.errors()).isEqualTo("csi: the rest is elsewhere\n");
        }
    }

    @Test
    void listIsATableWithNumbersAtTheRight() throws Exception {
        assertThat(shown(
                        list(THING, "{\"id\":\"long-name\",\"phase\":\"FAILED\",\"capacityBytes\":0}"),
                        "thing",
                        "list"))
                .isEqualTo("""
                        ID         PHASE       SIZE  SINCE    NOTE
                        a          READY   10.0 GiB  1 h ago  fine
                        long-name  FAILED         -  -        -
                        """);
    }

    @Test
    void emptyListSaysSo() throws Exception {
        assertThat(shown(list(), "thing", "list")).isEqualTo("none\n");
    }

    @Test
    void longestCellsAreCutToTheTerminal() throws Exception {
        shell.environment.put("COLUMNS", "50");
        String text = shown(
                list("{\"id\":\"" + "i".repeat(40) + "\",\"phase\":\"READY\",\"note\":\"" + "大".repeat(60) + "\"}"),
                "thing",
                "list");
        assertThat(text.lines()).allSatisfy(line -> assertThat(Text.width(line)).isLessThanOrEqualTo(50));
        assertThat(text).contains("iii…", "大…").contains("READY");
    }

    @Test
    void tableOfManyColumnsFitsNarrowTerminal() throws Exception {
        Shell narrow = new Shell();
        narrow.environment.put("COLUMNS", "60");
        narrow.environment.put("TERM", "xterm");
        try (FakeServer server = FakeServer.of(FakeServer.json(
                200,
                list("{\"node\":\"node-1-with-a-name\",\"status\":\"DISCONNECTED\",\"since\":\"2026-01-01T11:00:00Z\","
                        + "\"reason\":\"no call for 6 s\",\"lastContact\":\"2026-01-01T11:00:00Z\",\"silentFor\":3600,"
                        + "\"volumeCount\":12345,\"unfinishedCount\":2}")))) {
            narrow.environment.put("CSI_ADDRESS", server.address());
            assertThat(narrow.run("node", "list")).as(narrow.errors()).isZero();
        }
        assertThat(narrow.output().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(Text.width(line)).isLessThanOrEqualTo(60));
        assertThat(narrow.output()).contains("12345");
    }

    @Test
    void widthIsFreeWithoutTerminal() throws Exception {
        assertThat(shown(list("{\"id\":\"" + "i".repeat(400) + "\"}"), "thing", "list"))
                .contains("i".repeat(400));
    }

    @Test
    void jsonIsThatOfTheServer() throws Exception {
        assertThat(shown(THING, "thing", "status", "default", "a", "--json")).isEqualTo(THING + "\n");
    }

    @Test
    void pagesAreOneListInJson() throws Exception {
        try (FakeServer server = new FakeServer(request -> FakeServer.json(
                200,
                request.line().contains("after=n%2B1")
                        ? "{\"index\":8,\"items\":[{\"id\":\"b\",\"n\":1.50}]}"
                        : "{\"index\":7,\"items\":[{\"id\":\"a\"}],\"next\":\"n+1\"}"))) {
            shell.environment.put("CSI_ADDRESS", server.address());
            assertThat(shell.run("thing", "list", "--json")).as(shell.errors()).isZero();
            assertThat(shell.output())
                    .isEqualTo("{\"index\":7,\"items\":[\n{\"id\":\"a\"},\n{\"id\":\"b\",\"n\":1.50}\n]}\n");
        }
    }

    @Test
    void colorsAreForTerminalsThatWantThem() throws Exception {
        String[] list = {"thing", "list"};
        assertThat(shown(list(THING), list)).doesNotContain("\u001b");
        shell.outIsTerminal = true;
        assertThat(shown(list(THING), list)).contains("\u001b[32mREADY\u001b[0m");
        for (List<String> no : List.of(List.of("NO_COLOR", "1"), List.of("TERM", "dumb"))) {
            Shell plain = Shell.ofThings();
            plain.outIsTerminal = true;
            plain.environment.put(no.get(0), no.get(1));
            try (FakeServer server = FakeServer.of(FakeServer.json(200, list(THING)))) {
                plain.environment.put("CSI_ADDRESS", server.address());
                assertThat(plain.run(list)).isZero();
                assertThat(plain.output()).contains("READY").doesNotContain("\u001b");
                assertThat(plain.run("thing", "list", "--help")).isZero();
                assertThat(plain.output()).doesNotContain("\u001b");
            }
        }
        shell.out.getBuffer().setLength(0);
        assertThat(shown(list(THING), "thing", "list", "--no-color")).doesNotContain("\u001b");
    }
}
