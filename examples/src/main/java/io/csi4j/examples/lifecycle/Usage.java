package io.csi4j.examples.lifecycle;

/** The text of {@code --help}. */
final class Usage {
    static final String TEXT = """
            Usage: examples/run lifecycle --endpoint ENDPOINT [option...]

            Takes a volume through its whole life at a CSI plugin: create, attach, stage, publish, write and
            read, and everything else that the plugin offers; then it undoes all steps. Steps that the plugin does not
            offer are skipped. Everything that was created is removed at the end, also after a failure or Ctrl-C.
            Run it as root: plugins mount, and only root sees into every mount.

            Where
              --endpoint ENDPOINT             the plugin's socket: unix:///run/csi/csi.sock, or a path
              --controller-endpoint ENDPOINT  the controller's socket, if it is another one than the node's
              --work-dir DIR                  where staging and target directories are made; the plugin must see
                                              it under the same path (default: the temporary directory)
            The volume
              --volume-name NAME              (default: csi4j-lifecycle- and eight random characters)
              --size SIZE                     at least, with Ki, Mi, Gi, Ti, K, M, G, T or none (default: 64Mi)
              --parameters K=V[,K=V...]       for CreateVolume; may be given several times; \\, is a comma in a value
              --block                         a block device instead of a file system
              --access-mode MODE              one of CSI's seven (default: SINGLE_NODE_WRITER)
              --fs-type TYPE                  the file system (default: the plugin's choice)
              --mount-flags FLAG[,FLAG...]
              --volume-id ID                  use this volume, which is there already: it is checked instead of
                                              created, and not deleted. Its files stay; on a block device nothing
                                              is written. Needed for plugins that cannot create volumes
              --volume-context K=V[,K=V...]   of that volume
            The run
              --mutable-parameters K=V[,...]  changed with ControllerModifyVolume, if it is offered
              --secrets-file FILE             one K=V to a line, # begins a comment, values as they are; given to
                                              every call that takes secrets, and never shown
              --keep                          leave the volume (and nothing else)
              --timeout TIME                  for each step, with ms, s, m or h (default: 2m)
              --help                          this text

            It exits with 0 if every step that was tried succeeded, 1 if one failed, 2 if the arguments are wrong,
            and 130 or 143 after Ctrl-C or SIGTERM.
            """;

    private Usage() {}
}
