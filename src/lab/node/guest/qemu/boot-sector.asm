; The whole guest of a QEMU in the lab: one boot sector, for `nasm -f bin`.
;
; It writes to its memory page by page, round and round, at a rate that is set while it runs. Each page written gets the
; number of the write, so that at any moment the pages, read backwards from the last one written, hold numbers that fall
; by one: a page that is lost, stale or misplaced breaks the row. Where there is a disk, its sectors are written the same
; way. Four times a second it says on COM1 how often it has said so, and the numbers of the last page and sector, in
; hexadecimal. Whoever joins what was heard at the source and at the target of a migration gets one stream without a gap.
;
; COM1 takes a decimal number and a line feed: pages to write a second from now on.
;
; It stays in real mode, with a data segment of 4 GiB. All that it knows is in the parameters at the end of the sector,
; which boot-sector.ts fills in.

TICKS      equ 256        ; a second
TIMER      equ 1193182 / TICKS
PAGE       equ 4096
COM1       equ 0x3f8
IDE        equ 0x1f0
PARAMETERS equ 0x1d0      ; where they begin

bits 16
org 0x7c00

start:
        cli
        cld
        xor     eax, eax
        mov     ds, ax
        mov     ss, ax
        mov     sp, 0x7c00
        lgdt    [table]
        mov     ecx, cr0
        or      cl, 1
        mov     cr0, ecx          ; protected mode for long enough to give fs its limit
        mov     bx, 8
        mov     fs, bx
        and     cl, ~1
        mov     cr0, ecx
        mov     fs, ax

        mov     word [8 * 4], tick
        mov     [8 * 4 + 2], ax
        mov     al, 0x34
        out     0x43, al
        mov     ax, TIMER
        out     0x40, al
        mov     al, ah
        out     0x40, al
        mov     al, 0xfe          ; of all interrupts only the timer's
        out     0x21, al
        mov     dx, COM1 + 2
        mov     al, 7             ; its buffers, empty
        out     dx, al

        mov     edi, [first]
        mov     [next], edi
fill:   call    write_page        ; no page is empty, none is like another
        mov     edi, [next]
        cmp     edi, [first]
        jne     fill

; Once a tick.
again:  sti
        hlt
        cli
        call    listen
        call    work
        mov     al, [ticks]
        test    al, 3
        jnz     .said
        cmp     dword [sectors], 0
        je      .kept
        call    write_sector
.kept:  test    byte [ticks], 63
        jnz     .said
        call    say
.said:  jmp     again

tick:   inc     word [cs:ticks]
        push    ax
        mov     al, 0x20
        out     0x20, al
        pop     ax
        iret

; Takes what has been typed.
listen: mov     dx, COM1 + 5
        in      al, dx
        test    al, 1
        jz      done
        mov     dx, COM1
        in      al, dx
        cmp     al, 10
        je      .set
        and     eax, 15
        imul    ecx, [typed], 10
        add     ecx, eax
        mov     [typed], ecx
        jmp     listen
.set:   xor     eax, eax
        xchg    eax, [typed]
        mov     [rate], eax
        jmp     listen

; Writes as many pages as are due.
work:   mov     eax, [rate]
        add     [due], eax
.more:  sub     dword [due], TICKS
        jb      .none
        call    write_page
        jmp     .more
.none:  add     dword [due], TICKS
        ret

write_page:
        mov     edi, [next]
        inc     dword [pages]
        mov     eax, [pages]
        mov     [fs:edi], eax
        mov     [fs:edi + 4], edi
        add     edi, PAGE
        cmp     edi, [end]
        jb      .in
        mov     edi, [first]
.in:    mov     [next], edi
done:   ret

; The next sector of the first IDE disk gets the number of the write, 128 times.
write_sector:
        mov     eax, [writes]
        inc     dword [writes]
        xor     edx, edx
        div     dword [sectors]
        mov     eax, edx          ; which one
        mov     dx, IDE + 2
        push    eax
        mov     al, 1
        out     dx, al
        pop     eax
        mov     cl, 3
.lba:   inc     dx
        out     dx, al
        shr     eax, 8
        dec     cl
        jnz     .lba
        inc     dx
        or      al, 0xe0
        out     dx, al
        inc     dx
        mov     al, 0x30          ; write
        out     dx, al
.ask:   in      al, dx
        test    al, 8             ; it wants the data
        jz      .ask
        mov     dx, IDE
        mov     eax, [writes]
        mov     cl, 128
.data:  out     dx, eax
        dec     cl
        jnz     .data
        mov     dx, IDE + 7
.wait:  in      al, dx
        test    al, 0x80          ; it is busy
        jnz     .wait
        ret

say:    inc     dword [lines]
        mov     si, lines
.next:  lodsd
        mov     ebx, eax
        mov     cl, 8
.digit: rol     ebx, 4
        mov     al, bl
        and     al, 15
        cmp     al, 10
        sbb     al, 0x69
        das                       ; 0 to 15 has become 0 to F
        call    put
        dec     cl
        jnz     .digit
        mov     al, ' '
        cmp     si, lines + 12
        jne     .space
        mov     al, 10
.space: call    put
        cmp     si, lines + 12
        jne     .next
        ret

put:    push    ax
        mov     dx, COM1 + 5
.full:  in      al, dx
        test    al, 0x20
        jz      .full
        pop     ax
        mov     dx, COM1
        out     dx, al
        ret

table:  dw      15                ; itself in the place of the entry that is never used
        dd      table
        dw      0
        dq      0x00cf92000000ffff

        times   PARAMETERS - ($ - $$) db 0
first:  dd      0x00100000        ; of the memory that is written to
end:    dd      0x00800000
rate:   dd      0                 ; pages a second
sectors:
        dd      0                 ; of the disk, 0 for none
lines:  dd      0
pages:  dd      0
writes: dd      0
next:   dd      0
due:    dd      0
typed:  dd      0
ticks:  dw      0
        times   510 - ($ - $$) db 0
        dw      0xaa55
